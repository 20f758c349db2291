// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "codelets/context.hpp"
#include "espalier/report.hpp"
#include "mapping/kernel_cost.hpp"
#include "mapping/subtrees.hpp"
#include "plan/device_seconds.hpp"
#include "plan/plan.hpp"
#include "report/factor_report.hpp"

namespace espalier::internal {

/// Flops that are planned, of one rank or all together.
struct PlannedOffload {
  double devices = 0;    ///< flops of the devices
  double unlimited = 0;  ///< flops of the devices where their memory has no limit
  double all = 0;        ///< flops of both sides
  double seconds = 0;    ///< time that planning took
  Count bytes = 0;       ///< what the fullest device has to hold

  /// Fills what is planned, where the devices are to do anything.
  void describe(OffloadReport& report) const;
};

/// What both sides did in a factorization, of one rank or all together: the figures of HALO's Table
/// III (Sao, Liu, Vuduc, Li: A sparse direct solver for distributed memory Xeon Phi-accelerated
/// systems, IPDPS 2015) but for its speed-ups, which compare it with a factorization by the host
/// alone; tools/bench/offload.py runs both.
struct OffloadDone {
  Workspace::Tally host{};
  Workspace::Tally devices{};
  double seconds = 0;  ///< time t of the factorization, 0 where there was none
  Index host_workers = 0;
  Index device_workers = 0;
  double panel_work = 0;  ///< seconds of the host's workers; see panel_work()
  Count bytes_to_devices = 0;
  Count bytes_to_host = 0;
  double transfer_seconds = 0;  ///< what these copies are estimated to take, on the slowest rank

  /// Adds what another rank did in the same factorization.
  OffloadDone& operator+=(const OffloadDone& other);

  /// Fills what is measured, where there are devices. A side is idle for t less the mean of its
  /// workers' seconds in tasks, and the efficiency is 1 - (device_idle + host_idle) / (2 t) (HALO,
  /// equation 7): both sides count alike, however many workers they have.
  void describe(OffloadReport& report) const;
};

/// Returns the seconds that CPU workers spent on panel factorization: all of D and F, and the part
/// of S that the kernels of D and F are predicted to have of it.
double panel_work(const FactorHistory::Tally& host, const PanelStructure& structure,
                  const SubtreeCut& cut, const KernelCost& cost);

/// Returns what both sides did in the fastest factorization.
OffloadDone offload_done(const FactorHistory& history, const FactorPlan& plan,
                         const PanelStructure& structure, const KernelCost& cost,
                         const StarpuInstance& starpu);

/// What no division of the updates takes less than, by the costs that the plan was made with; 0
/// where there are none of devices.
double bound_of(const FactorPlan& plan, const PanelStructure& structure, const KernelCost& host,
                const StarpuInstance& starpu);

/// What no schedule of the tasks of a process alone takes less than, by what they are predicted to
/// take on either side; `device` says it of devices, where they take part.
double schedule_bound(const FactorPlan& plan, const PanelStructure& structure,
                      const KernelCost& host, const StarpuInstance& starpu,
                      const DeviceSeconds* device);

}  // namespace espalier::internal
