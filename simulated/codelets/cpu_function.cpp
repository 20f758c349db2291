// SPDX-License-Identifier: BSD-3-Clause

#include "codelets/cpu_function.hpp"

#include <starpu.h>

#include "codelets/codelet.hpp"
#include "codelets/cpu/kernels.hpp"
#include "simulated/perfmodels/simulated_machine.hpp"

namespace espalier::internal {

namespace {

/// Workers of this rank that are at a task. All simulated threads share one of the system.
Index busy = 0;

/// Coprocessors on the cores of the machine keep these busy, since they look for messages all the
/// time that they have no task.
Index busy_coprocessors() {
  const MachineFile::Devices* const devices = simulated_devices();
  const bool share = devices != nullptr && devices->architecture == "coprocessor" &&
                     simulated_machine().one_machine;
  return share ? devices->count : 0;
}

/// What StarPU itself lets a simulated worker and the one who pushes spend on each task.
constexpr double simulated_by_starpu = 2e-6;

}  // namespace

/// Takes as long as the worker's share of the task is predicted to beside the workers that are busy
/// when it begins, then what the runtime takes for it, and computes nothing.
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
  starpu_sleep(static_cast<float>(task.shape.seconds * longer / slice.size));
  --busy;
  task.note_run(worker, begin, context.clock.seconds());
  const double overhead = machine.costs.table.task - simulated_by_starpu;
  if (overhead > 0) starpu_sleep(static_cast<float>(overhead));
}

}  // namespace espalier::internal
