// SPDX-License-Identifier: BSD-3-Clause

#include "codelets/cpu_function.hpp"

#include <starpu.h>

#include "base/parallel_task.hpp"
#include "codelets/codelet.hpp"
#include "codelets/context.hpp"
#include "codelets/cpu/kernels.hpp"
#include "simulated/perfmodels/simulated_machine.hpp"

namespace espalier::internal {

namespace {

/// Number of workers of this rank that run a task. It needs no lock, because all simulated threads
/// share one thread of the system.
Index busy = 0;

/// Returns the number of cores of the machine that coprocessors keep busy: a coprocessor without a
/// task polls for messages all the time.
Index busy_coprocessors() {
  const MachineFile::Devices* const devices = simulated_devices();
  const bool share = devices != nullptr && devices->architecture == "coprocessor" &&
                     simulated_machine().one_machine;
  return share ? devices->count : 0;
}

/// Simulated time per task, in seconds, that StarPU itself adds for the worker and for the thread
/// that pushes the task.
constexpr double simulated_by_starpu = 2e-6;

/// Returns the predicted time of a worker's slice of a task, in seconds. If several workers run the
/// task together, they also lose time to each other.
double seconds_of_slice(const Shape& shape, Slice slice) {
  if (slice.size == 1) return shape.seconds;
  const Index triangle = shape.kind == TaskKind::update ? shape.square : 0;
  return shape.seconds * share_of_slice(slice, shape.m, triangle) +
         parallel_task_seconds(slice.size);
}

}  // namespace

/// Simulates a task without computing anything. It sleeps for the predicted time of the worker's
/// slice, multiplied by the load of the workers that are busy when it begins. Then it sleeps for
/// the overhead of the runtime system per task.
void run_on_cpu(void* /*buffers*/[], void* argument) noexcept {
  const auto& task = *static_cast<const BoundTask*>(argument);
  const MachineFile& machine = simulated_machine();
  FactorContext& context = *task.arguments->context;
  const auto id = static_cast<std::size_t>(starpu_worker_get_id_check());
  Slice slice{starpu_combined_worker_get_rank(), starpu_combined_worker_get_size()};
  if (!traits_of(task.shape.kind).slices) {
    if (slice.rank > 0) return;
    slice = {};
  }
  Worker worker{cpu::kernels, context.workspace[id], slice};
  const double begin = context.clock.seconds();
  ++busy;
  const bool moves = streams(machine.costs.table, task.shape.flops, task.shape.seconds);
  const double longer = machine.time_at(busy + busy_coprocessors(), moves);
  starpu_sleep(static_cast<float>(seconds_of_slice(task.shape, slice) * longer));
  --busy;
  task.note_run(worker, begin, context.clock.seconds());
  const double overhead = machine.costs.table.task - simulated_by_starpu;
  if (overhead > 0) starpu_sleep(static_cast<float>(overhead));
}

}  // namespace espalier::internal
