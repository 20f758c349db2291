// SPDX-License-Identifier: BSD-3-Clause
#include "report/process_record.hpp"

#include <algorithm>
#include <numeric>

#include "runtime/starpu/coprocessor.hpp"
#include "runtime/starpu/starpu_instance.hpp"

namespace espalier::internal {

namespace {

double flops_of(const TaskGraph& graph) {
  return std::accumulate(graph.task.begin(), graph.task.end(), 0.0,
                         [](double sum, const Task& task) { return sum + task.flops; });
}

PlannedOffload planned_by(const FactorPlan& plan) {
  if (!plan.offload) return {};
  return {plan.offload->flops, plan.offload->unlimited, flops_of(plan.graph), plan.offload_seconds,
          plan.device_bytes.most};
}

}  // namespace

ProcessRecord record_of(const ProcessPart& part) {
  const auto& [starpu, structure, plan, cost, history, tasks] = part;
  return {plan.graph.counts(),
          submitted_to_starpu(plan),
          history.fastest,
          history.fastest_coprocessor,
          history.fastest_cuda,
          history.fastest_queues,
          history.fastest_queue_sizes,
          history.solves,
          plan.predicted_seconds,
          prediction_error(tasks),
          starpu.cpu_workers(),
          starpu.coprocessor_workers(),
          starpu.coprocessor_workers() * threads_of_coprocessor_worker(),
          starpu.cuda_workers(),
          starpu.cuda_devices(),
          plan.offload.has_value(),
          planned_by(plan),
          bound_of(plan, structure, cost, starpu),
          offload_done(history, plan, structure, cost, starpu)};
}

namespace {

void add_up(std::span<const ProcessRecord> all, Report& report) {
  PredictionError error;
  OffloadDone done;
  auto& machine = report.machine;
  machine.cpu_workers = machine.coprocessor_workers = machine.coprocessor_threads = 0;
  machine.cuda_workers = machine.cuda_devices = 0;
  for (const ProcessRecord& record : all) {
    add_counts(record.tasks, report);
    report.tasks.submitted += record.submitted;
    done += record.done;
    error.off += record.error.off;
    error.measured += record.error.measured;
    report.symbolic.predicted_factor_seconds =
        std::max(report.symbolic.predicted_factor_seconds, record.predicted_seconds);
    report.offload.bound_seconds = std::max(report.offload.bound_seconds, record.bound_seconds);
    machine.cpu_workers += record.workers;
    machine.coprocessor_workers += record.coprocessors;
    machine.coprocessor_threads += record.coprocessor_threads;
    machine.cuda_workers += record.cuda_workers;
    machine.cuda_devices += record.cuda_devices;
  }
  report.tasks.prediction_error = error.relative();
  done.describe(report.offload);
}

/// Adds up the offload plans of all processes. Either all processes have one, or none has.
void add_planned_offload(std::span<const ProcessRecord> all, Report& report) {
  PlannedOffload sum{.all = report.symbolic.flops};
  for (const ProcessRecord& record : all) {
    sum.devices += record.planned.devices;
    sum.unlimited += record.planned.unlimited;
    sum.seconds = std::max(sum.seconds, record.planned.seconds);
    sum.bytes = std::max(sum.bytes, record.planned.bytes);
  }
  if (all.front().plans_offload) sum.describe(report.offload);
}

void add_fastest(const ProcessRecord& record, FactorHistory& history) {
  for (std::size_t kind = 0; kind < task_kinds; ++kind) {
    history.fastest[kind] += record.fastest[kind];
    history.fastest_coprocessor[kind] += record.fastest_coprocessor[kind];
    history.fastest_cuda[kind] += record.fastest_cuda[kind];
  }
  for (std::size_t queue = 0; queue < history.fastest_queues.size(); ++queue) {
    history.fastest_queues[queue].tasks += record.fastest_queues[queue].tasks;
    history.fastest_queues[queue].seconds += record.fastest_queues[queue].seconds;
  }
  for (std::size_t type = 0; type < history.solves.size(); ++type) {
    history.solves[type] += record.solves[type];
  }
}

/// Returns the time of all workers in the fastest factorization. All time outside tasks counts as
/// idle, because workers of ranks also wait for messages.
WorkerTime time_of_workers(const FactorHistory& history, Index workers) {
  const double busy = sum_of(history.fastest).seconds +
                      sum_of(history.fastest_coprocessor).seconds +
                      sum_of(history.fastest_cuda).seconds;
  return {busy, std::max(0.0, history.fastest_seconds * workers - busy)};
}

}  // namespace

void describe_processes(std::span<const ProcessRecord> all, FactorHistory history, Report& report) {
  add_up(all, report);
  add_planned_offload(all, report);
  history.fastest = {};
  history.fastest_coprocessor = {};
  history.fastest_cuda = {};
  history.fastest_queues = {};
  history.fastest_queue_sizes = {};
  history.solves = {};
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    add_fastest(all[rank], history);
    all[rank].fastest_queue_sizes.describe(static_cast<Index>(rank), report);
  }
  const auto& machine = report.machine;
  const Index workers = machine.cpu_workers + machine.coprocessor_workers + machine.cuda_workers;
  const bool is_measured = all.size() == 1 && history.fastest_time.busy > 0;
  if (!is_measured && !history.factor_seconds.empty()) {
    history.fastest_time = time_of_workers(history, workers);
  }
  history.describe(report);
}

}  // namespace espalier::internal
