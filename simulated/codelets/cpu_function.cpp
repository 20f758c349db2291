// SPDX-License-Identifier: BSD-3-Clause

#include "codelets/cpu_function.hpp"

#include <starpu.h>

#include "codelets/codelet.hpp"
#include "codelets/cpu/kernels.hpp"

namespace espalier::internal {

/// Takes as long as the task is predicted to, and computes nothing.
void run_on_cpu(void* /*buffers*/[], void* argument) {
  const auto& task = *static_cast<const BoundTask*>(argument);
  FactorContext& context = *task.arguments->context;
  const auto id = static_cast<std::size_t>(starpu_worker_get_id_check());
  Worker worker{cpu::kernels, context.workspace[id], {}};
  const double begin = context.clock.seconds();
  starpu_sleep(static_cast<float>(task.shape.seconds));
  task.note_run(worker, begin, context.clock.seconds());
}

}  // namespace espalier::internal
