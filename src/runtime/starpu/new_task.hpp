// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu.h>

#include <cstddef>
#include <memory>

#include "runtime/starpu/completion.hpp"

namespace espalier::internal {

struct DestroyTask {
  void operator()(starpu_task* task) const {
    task->destroy = 0;
    starpu_task_destroy(task);
  }
};

/// A task before its submission. After the submission, StarPU owns the task.
using NewTask = std::unique_ptr<starpu_task, DestroyTask>;

/// The handles and access modes of a task, in memory of the task.
struct AccessArrays {
  starpu_data_handle_t* handle;
  starpu_data_access_mode* mode;
};

/// Gives a task space for `count` accesses. Throws std::bad_alloc if memory is short.
AccessArrays access_arrays(starpu_task& task, std::size_t count);

/// Submits a task, which `completion` counts; its callback must count the end. Throws
/// RuntimeFailure if no worker can run it.
void submit(NewTask task, Completion& completion);

}  // namespace espalier::internal
