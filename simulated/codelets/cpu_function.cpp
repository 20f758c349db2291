// SPDX-License-Identifier: BSD-3-Clause

#include "codelets/cpu_function.hpp"

#include <starpu.h>

#include <algorithm>
#include <cmath>

#include "base/decision_time.hpp"
#include "base/parallel_task.hpp"
#include "base/scalar.hpp"
#include "codelets/batch.hpp"
#include "codelets/codelet.hpp"
#include "codelets/context.hpp"
#include "codelets/cpu/kernels.hpp"
#include "simulated/perfmodels/simulated_machine.hpp"

namespace espalier::internal {

namespace {

/// Number of workers of this rank that run a task. It needs no lock, because all simulated threads
/// share one thread of the system.
Index busy = 0;

/// Bytes per second that these workers move if their tasks take their predicted times.
double traffic = 0;

/// Returns the number of cores of the machine that coprocessors keep busy: a coprocessor without a
/// task polls for messages all the time.
Index busy_coprocessors() {
  const MachineFile::Devices* const devices = simulated_devices();
  const bool share = devices != nullptr && devices->architecture == "coprocessor" &&
                     simulated_machine().one_machine;
  return share ? devices->count : 0;
}

/// Simulated time per task, in seconds, that StarPU itself adds: for the submission and the push of
/// a task, which the worker does that ends the task before it. With handles, another thread submits
/// the task, but StarPU adds time for the data.
constexpr double simulated_by_starpu = 2e-6;

/// Returns the predicted time of a worker's slice of a task, in seconds. If several workers run the
/// task together, they also lose time to each other.
double seconds_of_slice(const Shape& shape, Slice slice) {
  if (slice.size == 1) return shape.seconds;
  const Index triangle = shape.kind == TaskKind::update ? shape.square : 0;
  return shape.seconds * share_of_slice(slice, shape.m, triangle) +
         parallel_task_seconds(slice.size);
}

/// Returns the number of entries that a task reads from memory and writes to it. Sources of updates
/// are read, targets are read and written. A subtree of n columns with f operations has at most
/// sqrt(n f) entries: columns with r entries need about r^2 operations each. It writes them and
/// reads them again, once each.
double entries_moved(const Shape& shape) {
  const double m = shape.m;
  const double n = shape.n;
  const double k = shape.k;
  switch (shape.kind) {
    case TaskKind::diagonal: return n * n;
    case TaskKind::factor: return 2 * m * n + n * n / 2;
    case TaskKind::update:
    case TaskKind::assemble: return 2 * m * n + (m + n) * k;
    case TaskKind::subtree: return 2 * std::sqrt(n * shape.flops);
    case TaskKind::reduce: return 3 * m * n;
    case TaskKind::fill: return m * n;
    default: return shape.flops / 2;  // tasks of solves read each entry of L for two operations
  }
}

/// Returns the bytes per second that a task moves in its predicted time, at most the rate at which
/// a worker streams entries. Tasks that would move more find their data in caches.
double bytes_a_second(const Shape& shape, const CostTable& costs) {
  const double moved = std::min(entries_moved(shape), shape.seconds / costs.read);
  return shape.seconds > 0 ? moved * static_cast<double>(scalar.bytes) / shape.seconds : 0;
}

/// Sleeps for the predicted time of a worker's slice, multiplied by the load of the workers that
/// are busy when it begins.
void sleep_for(const Shape& shape, Slice slice) {
  const MachineFile& machine = simulated_machine();
  const double own_traffic = bytes_a_second(shape, machine.costs.table) / slice.size;
  ++busy;
  traffic += own_traffic;
  const bool moves = streams(machine.costs.table, shape.flops, shape.seconds);
  const double longer = machine.time_at(busy + busy_coprocessors(), moves, traffic);
  starpu_sleep(static_cast<float>(seconds_of_slice(shape, slice) * longer));
  traffic -= own_traffic;
  --busy;
}

/// Sleeps for the rest of the runtime overhead per task of StarPU. The other parts pass in StarPU
/// and in the policy.
void sleep_for_overhead() {
  const double elsewhere = simulated_by_starpu + 2 * decision_seconds;
  const double overhead = simulated_machine().costs.table.task - elsewhere;
  if (overhead > 0) starpu_sleep(static_cast<float>(overhead));
}

Worker worker_here(FactorContext& context, Slice slice) {
  const auto id = static_cast<std::size_t>(starpu_worker_get_id_check());
  return {cpu::kernels, context.workspace[id], slice};
}

}  // namespace

/// Simulates a task without computing anything. It sleeps for the predicted time of the worker's
/// slice, multiplied by the load of the workers that are busy when it begins. Then it sleeps for
/// the overhead of the runtime system per task.
void run_on_cpu(void* /*buffers*/[], void* argument) noexcept {
  const auto& task = *static_cast<const BoundTask*>(argument);
  FactorContext& context = *task.arguments->context;
  Slice slice{starpu_combined_worker_get_rank(), starpu_combined_worker_get_size()};
  if (!traits_of(task.shape.kind).slices) {
    if (slice.rank > 0) return;
    slice = {};
  }
  Worker worker = worker_here(context, slice);
  const double begin = context.clock.seconds();
  sleep_for(task.shape, slice);
  task.note_run(worker, begin, context.clock.seconds());
  sleep_for_overhead();
}

void run_ordered_on_cpu(void* buffers[], void* argument) noexcept { run_on_cpu(buffers, argument); }

/// Simulates the tasks of a batch in the same way, but with a single overhead of the runtime
/// system. The time of the batch is divided among its tasks in proportion to their predicted times.
void run_batch_on_cpu(void* /*buffers*/[], void* argument) noexcept {
  const auto& batch = *static_cast<const TaskBatch*>(argument);
  batch.note_queue();
  FactorContext& context = batch.context();
  Worker worker = worker_here(context, {});
  double begin = context.clock.seconds();
  sleep_for(batch.shape, {});
  const double longer = (context.clock.seconds() - begin) / batch.shape.seconds;
  for (const Index t : batch.task) {
    const BoundTask& task = batch.list->task[t];
    const double end = begin + task.shape.seconds * longer;
    task.note_run(worker, begin, end);
    begin = end;
  }
  sleep_for_overhead();
}

}  // namespace espalier::internal
