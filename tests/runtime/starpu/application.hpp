// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu.h>

#include <atomic>
#include <stdexcept>
#include <string>

namespace espalier::internal::support {

/// StarPU as an application runs it: started, never paused, shut down at the end.
class Application {
 public:
  Application(const std::string& scheduler, int workers) {
    starpu_conf conf;
    starpu_conf_init(&conf);
    conf.precedence_over_environment_variables = 1;
    conf.sched_policy_name = scheduler.c_str();
    conf.ncpus = workers;
    conf.ncuda = 0;
    conf.nopencl = 0;
    if (starpu_init(&conf) != 0) throw std::runtime_error("StarPU does not start");
  }
  ~Application() { starpu_shutdown(); }
  Application(const Application&) = delete;
  Application& operator=(const Application&) = delete;
};

/// Submits a task that only counts its runs.
inline void submit_empty_task(std::atomic<int>& runs) {
  static starpu_codelet codelet = [] {
    starpu_codelet made;
    starpu_codelet_init(&made);
    made.cpu_funcs[0] = [](void**, void* counter) { ++*static_cast<std::atomic<int>*>(counter); };
    made.where = STARPU_CPU;
    made.nbuffers = 0;
    return made;
  }();
  starpu_task* const task = starpu_task_create();
  task->cl = &codelet;
  task->cl_arg = &runs;
  if (starpu_task_submit(task) != 0) throw std::runtime_error("StarPU takes no task");
}

}  // namespace espalier::internal::support
