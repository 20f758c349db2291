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

/// Planned flops of one rank, or of all ranks together.
struct PlannedOffload {
  double devices = 0;    ///< flops of the devices
  double unlimited = 0;  ///< flops of the devices without a limit on their memory
  double all = 0;        ///< flops of host and devices
  double seconds = 0;    ///< time of planning
  Count bytes = 0;       ///< memory that the fullest device needs

  /// Fills the planned values. Call it only if the plan gives work to devices.
  void describe(OffloadReport& report) const;
};

/// The work of host and devices in a factorization, of one rank or all ranks together. This object
/// gives the figures of HALO's Table III (Sao, Liu, Vuduc, Li: A sparse direct solver for
/// distributed memory Xeon Phi-accelerated systems, IPDPS 2015), except the speed-ups over the host
/// alone. tools/bench/offload.py measures these.
struct OffloadDone {
  Workspace::Tally host{};
  Workspace::Tally devices{};
  double seconds = 0;  ///< time t of the factorization, 0 before the first one
  Index host_workers = 0;
  Index device_workers = 0;
  double panel_work = 0;  ///< seconds of the host's workers; see panel_work()
  Count bytes_to_devices = 0;
  Count bytes_to_host = 0;
  double transfer_seconds = 0;  ///< estimated seconds of these copies, on the slowest rank

  /// Adds the work of another rank in the same factorization.
  OffloadDone& operator+=(const OffloadDone& other);

  /// Fills the measured values, if there are device workers. The host is idle for t minus the mean
  /// seconds of its workers in tasks; the same holds for devices. The efficiency is 1 -
  /// (device_idle + host_idle) / (2 t) (HALO, equation 7): host and devices count equally, whatever
  /// their numbers of workers.
  void describe(OffloadReport& report) const;
};

/// Returns the seconds that CPU workers spent on panel factorization: all of D and F, and the
/// predicted share of the kernels of D and F in S.
double panel_work(const FactorHistory::Tally& host, const PanelStructure& structure,
                  const SubtreeCut& cut, const KernelCost& cost);

/// Returns the work of host and devices in the fastest factorization.
OffloadDone offload_done(const FactorHistory& history, const FactorPlan& plan,
                         const PanelStructure& structure, const KernelCost& cost,
                         const StarpuInstance& starpu);

/// Returns a lower bound of the time for any division of the updates, at the costs of the plan.
/// Returns 0 without costs of devices.
double bound_of(const FactorPlan& plan, const PanelStructure& structure, const KernelCost& host,
                const StarpuInstance& starpu);

/// Returns a lower bound of the makespan of any schedule of the tasks of a single process, from
/// their predicted times on host and devices. `device` gives the times on devices, or is null if
/// devices do not take part.
double schedule_bound(const FactorPlan& plan, const PanelStructure& structure,
                      const KernelCost& host, const StarpuInstance& starpu,
                      const DeviceSeconds* device);

}  // namespace espalier::internal
