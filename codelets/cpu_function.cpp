// SPDX-License-Identifier: BSD-3-Clause

#include "codelets/cpu_function.hpp"

#include <starpu.h>

#include <array>
#include <vector>

#include "base/backoff.hpp"
#include "codelets/batch.hpp"
#include "codelets/codelet.hpp"
#include "codelets/ordered_task.hpp"

namespace espalier::internal {

namespace {

/// The data of one StarPU task, as views of its buffers.
class Buffers {
 public:
  Buffers(void* buffers[], Count count) : many_(count > std::ssize(few_) ? count : 0) {
    MatrixView* const views = many_.empty() ? few_.data() : many_.data();
    for (Count i = 0; i < count; ++i) views[i] = view_of(buffers[i]);
    data_ = {views, static_cast<std::size_t>(count)};
  }
  Buffers(const Buffers&) = delete;
  Buffers& operator=(const Buffers&) = delete;

  TaskData data() const { return data_; }

 private:
  static constexpr std::size_t usual_most = 16;
  std::array<MatrixView, usual_most> few_;
  std::vector<MatrixView> many_;
  TaskData data_;
};

Worker worker_here(FactorContext& context, Slice slice) {
  const auto id = static_cast<std::size_t>(starpu_worker_get_id_check());
  return {*context.kernels, context.workspace[id], slice};
}

/// If several workers call this for a task without slices, only the first one runs the task.
/// StarPU's parallel modular policies may do that if StarPU was started before with more workers.
void perform(const BoundTask& task, TaskData data) {
  Slice slice{starpu_combined_worker_get_rank(), starpu_combined_worker_get_size()};
  if (!traits_of(task.shape.kind).slices) {
    if (slice.rank > 0) return;
    slice = {};
  }
  Worker worker = worker_here(*task.arguments->context, slice);
  task.perform(data, worker);
  backoff_of_thread().reset();
}

}  // namespace

void run_on_cpu(void* buffers[], void* argument) noexcept {
  const auto& task = *static_cast<const BoundTask*>(argument);
  const Buffers data(buffers, task.access_end - task.access_begin);
  perform(task, data.data());
}

void run_ordered_on_cpu(void* /*buffers*/[], void* argument) noexcept {
  const void* const ordered = starpu_task_get_current()->callback_arg;
  perform(*static_cast<const BoundTask*>(argument), static_cast<const OrderedTask*>(ordered)->data);
}

void run_batch_on_cpu(void* buffers[], void* argument) noexcept {
  if (starpu_combined_worker_get_rank() > 0) return;
  const auto& batch = *static_cast<const TaskBatch*>(argument);
  const Buffers data(buffers, batch.access_end - batch.access_begin);
  Worker worker = worker_here(batch.context(), {});
  batch.perform(data.data(), worker);
  backoff_of_thread().reset();
}

}  // namespace espalier::internal
