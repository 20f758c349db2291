// SPDX-License-Identifier: BSD-3-Clause

#include "report/factor_report.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/memory.hpp"
#include "codelets/cpu/blas.hpp"
#include "codelets/cpu/simd/kernels.hpp"
#include "plan/memory.hpp"
#include "runtime/starpu/coprocessor.hpp"
#include "runtime/starpu/devices.hpp"
#include "runtime/starpu/memory.hpp"
#include "runtime/starpu/starpu_instance.hpp"

namespace espalier::internal {

void note_peak(std::vector<PhaseMemory>& phases, const char* phase) {
  const auto known = std::find_if(phases.begin(), phases.end(),
                                  [&](const PhaseMemory& memory) { return memory.phase == phase; });
  PhaseMemory& memory = known != phases.end() ? *known : phases.emplace_back(PhaseMemory{phase, 0});
  memory.peak_rss_bytes = peak_resident_bytes();
}

bool FactorHistory::add_run(double seconds) {
  if (factor_seconds.size() == 2 * most_runs) {
    factor_seconds.erase(factor_seconds.begin(), factor_seconds.begin() + most_runs);
  }
  factor_seconds.push_back(seconds);
  if (seconds > fastest_seconds) return false;
  fastest_seconds = seconds;
  return true;
}

void FactorHistory::forget_runs() {
  FactorHistory fresh;
  fresh.factor_seconds.reserve(factor_seconds.capacity());
  fresh.memory = std::move(memory);
  *this = std::move(fresh);
}

FactorHistory::Tally tally_of(const FactorContext& context,
                              const std::function<bool(Index)>& counts) {
  FactorHistory::Tally sum{};
  for (const Workspace& workspace : context.workspace) {
    if (!counts(workspace.worker)) continue;
    for (std::size_t kind = 0; kind < task_kinds; ++kind) sum[kind] += workspace.tally[kind];
  }
  return sum;
}

namespace {

/// Adds the tasks of one type of workers and returns their sum.
Workspace::Tally describe_kinds(const FactorHistory::Tally& tally, const char* worker,
                                Report& report) {
  Workspace::Tally all;
  for (std::size_t kind = 0; kind < task_counts.size(); ++kind) {
    const auto& done = tally[kind];
    if (done.count == 0) continue;
    all += done;
    report.kinds.push_back({std::string(task_kind_table[kind].name), worker, done.count,
                            done.seconds, done.flops, done.predicted_seconds});
  }
  return all;
}

}  // namespace

QueueTallies queues_of(std::span<const BoundTask> tasks) {
  QueueTallies tallies{};
  for (const BoundTask& task : tasks) {
    QueueTally& tally = tallies[static_cast<std::size_t>(task.queued.queue)];
    ++tally.tasks;
    tally.seconds += (task.record.end - task.record.begin) * task.record.slices;
  }
  return tallies;
}

namespace {

void describe_queues(const QueueTallies& tallies, Report& report) {
  for (const KernelQueue queue :
       {KernelQueue::instant, KernelQueue::task_parallel, KernelQueue::data_parallel}) {
    const QueueTally& tally = tallies[static_cast<std::size_t>(queue)];
    if (tally.tasks == 0) continue;
    report.scheduler.queues.push_back({std::string(name_of(queue)), tally.tasks, tally.seconds});
  }
}

}  // namespace

Workspace::Tally sum_of(const FactorHistory::Tally& tally) {
  return std::accumulate(
      tally.begin(), tally.end(), Workspace::Tally{},
      [](Workspace::Tally sum, const Workspace::Tally& kind) { return sum += kind; });
}

namespace {

bool is_solve(std::size_t kind) {
  return kind == static_cast<std::size_t>(TaskKind::forward) ||
         kind == static_cast<std::size_t>(TaskKind::backward);
}

Workspace::Tally sum_where(const FactorHistory::Tally& tally, bool solves) {
  Workspace::Tally sum;
  for (std::size_t kind = 0; kind < tally.size(); ++kind) {
    if (is_solve(kind) == solves) sum += tally[kind];
  }
  return sum;
}

constexpr std::array<const char*, 3> worker_names{"cpu", "coprocessor", "cuda"};

/// Adds the operations of each type of workers, if it did any.
void describe_operations(const char* phase, const std::array<Workspace::Tally, 3>& done,
                         Report& report) {
  for (std::size_t operation = 0; operation < operations; ++operation) {
    for (std::size_t type = 0; type < done.size(); ++type) {
      const auto& [count, flops] = done[type].operations.done[operation];
      if (count == 0) continue;
      report.operations.push_back(
          {std::string(operation_names[operation]), phase, worker_names[type], count, flops});
    }
  }
}

}  // namespace

Workspace::Tally solves_in(const FactorHistory::Tally& tally) { return sum_where(tally, true); }

Workspace::Tally factorization_in(const FactorHistory::Tally& tally) {
  return sum_where(tally, false);
}

void FactorHistory::describe(Report& report) const {
  describe_queues(fastest_queues, report);
  fastest_queue_sizes.describe(0, report);
  describe_operations("factor",
                      {factorization_in(fastest), factorization_in(fastest_coprocessor),
                       factorization_in(fastest_cuda)},
                      report);
  describe_operations("solve", solves, report);
  Workspace::Tally there = describe_kinds(fastest_coprocessor, "coprocessor", report);
  there += describe_kinds(fastest_cuda, "cuda", report);
  Workspace::Tally all = describe_kinds(fastest, "cpu", report);
  all += there;
  if (!factor_seconds.empty()) {
    report.factor.seconds = fastest_seconds;
    report.factor.gflops = fastest_seconds > 0 ? report.symbolic.flops / fastest_seconds * 1e-9 : 0;
    const auto count = std::min(factor_seconds.size(), most_runs);
    report.factor.runs.assign(factor_seconds.end() - static_cast<std::ptrdiff_t>(count),
                              factor_seconds.end());
    const double time = fastest_time.busy + fastest_time.idle + fastest_time.runtime;
    report.tasks.idle_share = fastest_time.idle / time;
    report.tasks.runtime_share = fastest_time.runtime / time;
  }
  report.tasks.mean_us = all.count > 0 ? all.seconds / static_cast<double>(all.count) * 1e6 : 0;
  report.solve.seconds = last_solve.seconds;
  report.solve.residual_seconds = last_solve.residual_seconds;
  report.solve.nrhs = last_solve.count;
  report.solve.refinement_steps = last_solve.refinement_steps;
  const double there_flops = solves[1].flops + solves[2].flops;
  const double solve_flops = solves[0].flops + there_flops;
  report.solve.offloaded = solve_flops > 0 ? there_flops / solve_flops : 0;
  report.solution.backward_error = backward_error;
  report.memory.peak_rss_bytes = peak_resident_bytes();
  report.memory.phases.insert(report.memory.phases.end(), memory.begin(), memory.end());
}

void describe_plan(const SymbolicFactor& symbolic, const FactorPlan& plan, Count entries_of_a,
                   Report& report) {
  report.symbolic.predicted_factor_seconds = plan.predicted_seconds;
  report.symbolic.predicted_peak_bytes =
      predicted_peak_bytes(symbolic, entries_of_a,
                           {plan.workers, plan.graph.size(), bytes_of_build(plan),
                            plan.graph.batches.size(), plan.has_handles});
  add_counts(plan.graph.counts(), report);
  report.tasks.submitted = submitted_to_starpu(plan);
}

void add_counts(const std::array<Count, task_kinds>& counts, Report& report) {
  for (std::size_t kind = 0; kind < task_counts.size(); ++kind) {
    report.tasks.*task_counts[kind] += counts[kind];
  }
}

PredictionError prediction_error(std::span<const BoundTask> tasks) {
  PredictionError error;
  for (const BoundTask& task : tasks) {
    if (task.record.worker < 0) continue;
    const double seconds = task.record.end - task.record.begin;
    error.off += std::abs(seconds - task.shape.seconds_on(task.record.on_device));
    error.measured += seconds;
  }
  return error;
}

TaskRun run_of(const Shape& shape, const TaskRecord& record) {
  return {std::string(name_of(shape.kind)),
          shape.row,
          shape.column,
          shape.m,
          shape.n,
          shape.k,
          shape.flops,
          shape.seconds_on(record.on_device),
          shape.kernels_on(record.on_device),
          record.worker,
          record.begin,
          record.end,
          record.slices,
          record.on_device};
}

void add_warning(const std::string& warning, Report& report) {
  if (warning.empty() || std::ranges::count(report.warnings, warning) > 0) return;
  report.warnings.push_back(warning);
}

void describe_costs(const CostChoice& costs, Report& report) {
  report.models = {costs.source, costs.file, costs.date};
  if (costs.warning.empty()) return;
  std::erase(report.warnings, costs.warning);  // a tuning may be unusable for the same reason
  report.warnings.insert(report.warnings.begin(), costs.warning);
}

void describe_machine(const StarpuInstance& starpu, Report& report) {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  report.machine.host = host.data();
  report.machine.cpu_workers = starpu.cpu_workers();
  report.machine.cuda_workers = starpu.cuda_workers();
  report.machine.cuda_devices = starpu.cuda_devices();
  report.machine.coprocessor_workers = starpu.coprocessor_workers();
  report.machine.coprocessor_threads =
      starpu.coprocessor_workers() * threads_of_coprocessor_worker();
  report.machine.blas =
      blas_description() + ", own kernels " + simd::small_kernels().instruction_set;
  report.scheduler.requested = starpu.requested_scheduler();
  report.scheduler.active = starpu.active_scheduler();
  for (const auto& [key, value] : starpu.policy_settings().all()) {
    report.scheduler.options.emplace(key, value);
  }
  add_warning(starpu.costs().host.warning, report);
  add_warning(starpu.costs().devices.warning, report);
}

std::string name_of(Granularity granularity) {
  switch (granularity) {
    case Granularity::automatic: return "auto";
    case Granularity::panel: return "panel";
    case Granularity::tile: return "tile";
    case Granularity::block: return "block";
  }
  return "";
}

std::string name_of(DenseKernels::Source kernels) {
  switch (kernels) {
    case DenseKernels::Source::automatic: return "auto";
    case DenseKernels::Source::own: return "own";
    case DenseKernels::Source::blas: return "blas";
    case DenseKernels::Source::mixed: return "mixed";
  }
  return "";
}

std::string name_of(Factorization factorization) {
  constexpr std::array names{"llt", "ldlt", "auto"};
  return names[static_cast<std::size_t>(factorization)];
}

std::string name_of(FileFormat format) {
  switch (format) {
    case FileFormat::matrix_market: return "matrix-market";
    case FileFormat::harwell_boeing: return "harwell-boeing";
    case FileFormat::automatic: break;
  }
  return "auto";
}

std::string name_of(Mapping mapping) {
  switch (mapping) {
    case Mapping::block_cyclic: return "block-cyclic";
    case Mapping::fan_both: return "fan-both";
    case Mapping::three_d: return "3d";
    case Mapping::proportional: break;
  }
  return "proportional";
}

}  // namespace espalier::internal
