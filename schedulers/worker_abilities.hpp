// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu_scheduler.h>

namespace espalier {

inline bool is_device(int worker) { return starpu_worker_get_type(worker) != STARPU_CPU_WORKER; }

/// True where the worker can execute the task; chooses the implementation it will use.
inline bool can_execute(int worker, starpu_task* task) {
  unsigned implementation = 0;
  if (starpu_worker_can_execute_task_first_impl(static_cast<unsigned>(worker), task,
                                                &implementation) == 0) {
    return false;
  }
  starpu_task_set_implementation(task, implementation);
  return true;
}

}  // namespace espalier
