// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <span>

#include "report/factor_report.hpp"
#include "report/offload_report.hpp"

namespace espalier::internal {

/// The part of a factor in one process, for its reports.
struct ProcessPart {
  const StarpuInstance& starpu;
  const PanelStructure& structure;
  const FactorPlan& plan;
  const KernelCost& cost;
  const FactorHistory& history;
  std::span<const BoundTask> tasks;  ///< tasks of a factorization, with the records of the last one
};

/// The figures of one process for the report: plain data without lists, so that ranks can send them
/// to the root.
struct ProcessRecord {
  std::array<Count, task_kinds> tasks{};
  Count submitted = 0;  ///< tasks that StarPU gets
  FactorHistory::Tally fastest{};
  FactorHistory::Tally fastest_coprocessor{};
  FactorHistory::Tally fastest_cuda{};
  QueueTallies fastest_queues{};
  QueueSizes fastest_queue_sizes;
  std::array<Workspace::Tally, 3> solves{};
  double predicted_seconds = 0;
  PredictionError error;
  Index workers = 0;
  Index coprocessors = 0;  ///< workers of coprocessors
  Index coprocessor_threads = 0;
  Index cuda_workers = 0;
  Index cuda_devices = 0;
  bool plans_offload = false;
  PlannedOffload planned;
  double bound_seconds = 0;
  OffloadDone done;
};

ProcessRecord record_of(const ProcessPart& part);

/// Adds up the records of all processes of a factor. Fills Report::tasks, Report::offload, the
/// numbers of workers in Report::machine, and everything that FactorHistory::describe() fills.
/// `history` is the history of the root or of the only process. The rest of Report::machine and
/// Report::symbolic must be filled before.
void describe_processes(std::span<const ProcessRecord> all, FactorHistory history, Report& report);

}  // namespace espalier::internal
