// SPDX-License-Identifier: BSD-3-Clause

#include "codelets/cpu_function.hpp"

#include <starpu.h>

#include <array>
#include <vector>

#include "base/backoff.hpp"
#include "codelets/codelet.hpp"

namespace espalier::internal {

/// If several workers call this for a task without slices, only the first one runs the task.
/// StarPU's parallel modular policies may do that if StarPU was started before with more workers.
void run_on_cpu(void* buffers[], void* argument) noexcept {
  const auto& task = *static_cast<const BoundTask*>(argument);
  constexpr std::size_t most = 16;
  const auto count = static_cast<std::size_t>(task.access_end - task.access_begin);
  std::array<MatrixView, most> few;
  std::vector<MatrixView> many(count > most ? count : 0);
  MatrixView* const data = count > most ? many.data() : few.data();
  for (std::size_t i = 0; i < count; ++i) data[i] = view_of(buffers[i]);
  FactorContext& context = *task.arguments->context;
  const auto id = static_cast<std::size_t>(starpu_worker_get_id_check());
  Slice slice{starpu_combined_worker_get_rank(), starpu_combined_worker_get_size()};
  if (!traits_of(task.shape.kind).slices) {
    if (slice.rank > 0) return;
    slice = {};
  }
  Worker worker{*context.kernels, context.workspace[id], slice};
  task.perform({data, count}, worker);
  backoff_of_thread().reset();
}

}  // namespace espalier::internal
