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

/// Notes the largest resident set so far as that of a phase that ends now, for the last time.
void note_peak(std::vector<PhaseMemory>& phases, const char* phase);

/// What the tasks of each kernel task queue took, as KernelQueue numbers them.
struct QueueTally {
  Count tasks = 0;
  double seconds = 0;  ///< summed over the workers
};
using QueueTallies = std::array<QueueTally, kernel_queue_names.size()>;

/// Returns what the tasks of a list took in their last run.
QueueTallies queues_of(std::span<const BoundTask> tasks);

/// What a factor remembers of its runs for the report.
struct FactorHistory {
  using Tally = std::array<Workspace::Tally, task_kinds>;

  /// A service factors without an end, so that no more runs than twice as many are remembered.
  static constexpr std::size_t most_runs = 100'000;

  std::vector<double> factor_seconds;  ///< seconds of the last runs, at least `most_runs` of them
  double fastest_seconds = std::numeric_limits<double>::infinity();
  Tally fastest{};              ///< what CPU workers did in the fastest run
  Tally fastest_coprocessor{};  ///< what workers in other processes did in it
  Tally fastest_cuda{};         ///< what workers of CUDA devices did in it
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
  /// What workers of each type did in the last solve: CPUs, other processes, CUDA devices.
  std::array<Workspace::Tally, 3> solves{};
  double backward_error = 0;
  std::vector<PhaseMemory> memory;

  /// Adds a run. True where none was faster; cost O(1): tiny problems are factored very often.
  bool add_run(double seconds);
  /// Fills `factor`, `solve`, `kinds`, the times of `tasks`, `memory`, the queues of `scheduler`,
  /// and `solution`. `machine` is filled.
  void describe(Report& report) const;
};

/// Returns the sum over all kinds of tasks.
Workspace::Tally sum_of(const FactorHistory::Tally& tally);

/// Returns the sum over the kinds of tasks that solve, and of those that factorize.
Workspace::Tally solves_in(const FactorHistory::Tally& tally);
Workspace::Tally factorization_in(const FactorHistory::Tally& tally);

/// What workers of this sort did since their tallies were reset.
FactorHistory::Tally tally_of(const FactorContext& context,
                              const std::function<bool(Index worker)>& counts);

/// The counts of `tasks` as TaskKind numbers them; kinds of solves have none.
inline constexpr std::array task_counts{
    &decltype(Report::tasks)::diagonal, &decltype(Report::tasks)::factor,
    &decltype(Report::tasks)::update,   &decltype(Report::tasks)::subtree,
    &decltype(Report::tasks)::assemble, &decltype(Report::tasks)::reduce,
    &decltype(Report::tasks)::fill};

/// Adds to the counts of `tasks`.
void add_counts(const std::array<Count, task_kinds>& counts, Report& report);
/// Fills the counts of `tasks` and the predictions of `symbolic`, of a plan for CPU workers.
void describe_plan(const SymbolicFactor& symbolic, const FactorPlan& plan, Count entries_of_a,
                   Report& report);

/// How far single tasks of the last factorization were off their predictions.
struct PredictionError {
  double off = 0;       ///< the sum of |measured - predicted|
  double measured = 0;  ///< the sum of the measured times

  /// 0 before the first factorization.
  double relative() const { return measured > 0 ? off / measured : 0; }
};
PredictionError prediction_error(std::span<const BoundTask> tasks);

/// What is told of a task that ran.
TaskRun run_of(const Shape& shape, const TaskRecord& record);

/// Adds a warning, unless it is empty or there already.
void add_warning(const std::string& warning, Report& report);

/// Fills `models`, and puts a warning of a file of costs that cannot be used before all others.
void describe_costs(const CostChoice& costs, Report& report);

/// Fills `machine` and `scheduler`, and warns of files of costs that cannot be used.
void describe_machine(const StarpuInstance& starpu, Report& report);

std::string name_of(Granularity granularity);
std::string name_of(FileFormat format);
std::string name_of(Mapping mapping);
std::string name_of(DenseKernels::Source kernels);

}  // namespace espalier::internal
