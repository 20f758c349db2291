// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "base/kernel_queue.hpp"
#include "codelets/context.hpp"
#include "codelets/task_list.hpp"
#include "espalier/report.hpp"
#include "espalier/schedule.hpp"
#include "perfmodels/cost_file.hpp"
#include "plan/plan.hpp"
#include "report/queue_sizes.hpp"
#include "report/worker_time.hpp"
#include "runtime/starpu/device_facts.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace espalier::internal {

class StarpuInstance;

/// Records the peak resident memory so far for a phase that ends now. Replaces an earlier value of
/// the same phase.
void note_peak(std::vector<PhaseMemory>& phases, const char* phase);

/// Number and seconds of the tasks of one kernel task queue. KernelQueue numbers the queues.
struct QueueTally {
  Count tasks = 0;
  double seconds = 0;  ///< sum over the workers
};
using QueueTallies = std::array<QueueTally, kernel_queue_names.size()>;

/// Returns the tallies of the queues for the last run of these tasks.
QueueTallies queues_of(std::span<const BoundTask> tasks);

/// The data of a factor's runs that the report needs.
struct FactorHistory {
  using Tally = std::array<Workspace::Tally, task_kinds>;

  /// Minimum number of last runs that are remembered. At most twice this number is stored, because
  /// a service may factor forever.
  static constexpr std::size_t most_runs = 100'000;

  std::vector<double>
      factor_seconds;  ///< seconds of all runs, or of the last ones if there were many
  double fastest_seconds = std::numeric_limits<double>::infinity();
  Tally fastest{};              ///< tasks of CPU workers in the fastest run
  Tally fastest_coprocessor{};  ///< tasks of workers in other processes in that run
  Tally fastest_cuda{};         ///< tasks of CUDA workers in that run
  QueueTallies fastest_queues{};
  QueueSizes fastest_queue_sizes;
  WorkerTime fastest_time;
  DeviceTraffic fastest_traffic;
  struct {
    double seconds = 0;
    double residual_seconds = 0;
    Index count = 0;
    Index refinement_steps = 0;
  } last_solve;
  /// Tasks of each type of workers in the last solve: CPUs, other processes, CUDA devices.
  std::array<Workspace::Tally, 3> solves{};
  double backward_error = 0;
  std::vector<PhaseMemory> memory;

  /// Adds a run and returns whether it is the fastest so far. Cost O(1), because tiny problems are
  /// factored very often.
  bool add_run(double seconds);
  /// Forgets all runs, but not the memory of the phases. For another kind of factorization.
  void forget_runs();
  /// Fills `factor`, `solve`, `kinds`, the times of `tasks`, `memory`, the queues of `scheduler`,
  /// and `solution`. `machine` must be filled before.
  void describe(Report& report) const;
};

/// Returns the sum over all kinds of tasks.
Workspace::Tally sum_of(const FactorHistory::Tally& tally);

/// Return the sum over the kinds of tasks of solves, and of tasks of factorizations.
Workspace::Tally solves_in(const FactorHistory::Tally& tally);
Workspace::Tally factorization_in(const FactorHistory::Tally& tally);

/// Returns the sum of the tallies, since their last reset, of all workers for which counts(worker)
/// is true.
FactorHistory::Tally tally_of(const FactorContext& context,
                              const std::function<bool(Index worker)>& counts);

/// The counts in Report::tasks, in the order of TaskKind. Tasks of solves are not counted.
inline constexpr std::array task_counts{
    &decltype(Report::tasks)::diagonal, &decltype(Report::tasks)::factor,
    &decltype(Report::tasks)::update,   &decltype(Report::tasks)::subtree,
    &decltype(Report::tasks)::assemble, &decltype(Report::tasks)::reduce,
    &decltype(Report::tasks)::fill};

/// Adds to the counts in Report::tasks.
void add_counts(const std::array<Count, task_kinds>& counts, Report& report);
/// Fills the counts in Report::tasks and the predictions in Report::symbolic, from a plan for CPU
/// workers.
void describe_plan(const SymbolicFactor& symbolic, const FactorPlan& plan, Count entries_of_a,
                   Report& report);

/// Error of the predictions of single tasks in the last factorization.
struct PredictionError {
  double off = 0;       ///< sum of |measured - predicted|
  double measured = 0;  ///< sum of the measured times

  /// Returns the relative error, 0 before the first factorization.
  double relative() const { return measured > 0 ? off / measured : 0; }
};
PredictionError prediction_error(std::span<const BoundTask> tasks);

/// Returns the public description of a task that ran.
TaskRun run_of(const Shape& shape, const TaskRecord& record);

/// Adds a warning, unless it is empty or already present.
void add_warning(const std::string& warning, Report& report);

/// Fills Report::models. If a file of costs cannot be used, puts its warning before all others.
void describe_costs(const CostChoice& costs, Report& report);

/// Fills Report::machine and Report::scheduler, and warns if files of costs cannot be used.
void describe_machine(const StarpuInstance& starpu, Report& report);

std::string name_of(Granularity granularity);
std::string name_of(FileFormat format);
std::string name_of(Mapping mapping);
std::string name_of(Factorization factorization);
std::string name_of(DenseKernels::Source kernels);

}  // namespace espalier::internal
