// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "schedulers/own_policies.hpp"
#include "support/starpu_vector.hpp"

namespace espalier::internal::support {

/// Returns the configuration of StarPU for an application. The scheduler, whose name must outlive
/// the start of StarPU, is a policy of StarPU or of Espalier.
inline starpu_conf application_conf(const std::string& scheduler, int workers) {
  starpu_conf conf;
  starpu_conf_init(&conf);
  conf.precedence_over_environment_variables = 1;
  conf.sched_policy_name = scheduler.c_str();
  for (const starpu_sched_policy* const own : own_policies()) {
    if (own == nullptr || scheduler != own->policy_name) continue;
    conf.sched_policy_name = nullptr;
    conf.sched_policy = const_cast<starpu_sched_policy*>(own);  // StarPU only reads it
  }
  conf.ncpus = workers;
  conf.ncuda = 0;
  conf.nopencl = 0;
  return conf;
}

/// StarPU as an application runs it: started, never paused, shut down at the end.
class Application {
 public:
  Application(const std::string& scheduler, int workers) {
    starpu_conf conf = application_conf(scheduler, workers);
    if (starpu_init(&conf) != 0) throw std::runtime_error("StarPU does not start");
  }
  ~Application() { starpu_shutdown(); }
  Application(const Application&) = delete;
  Application& operator=(const Application&) = delete;
};

/// A function of a task of the application, which gets the addresses of its vectors.
using OwnWork = std::function<void(std::span<double* const> data)>;

/// Submits a task of the application, which a CPU worker runs.
inline void submit_own_task(const std::vector<starpu_data_descr>& accesses, OwnWork work) {
  static starpu_codelet codelet = [] {
    starpu_codelet made;
    starpu_codelet_init(&made);
    made.cpu_funcs[0] = [](void** buffers, void* argument) {
      const std::unique_ptr<OwnWork> own(static_cast<OwnWork*>(argument));
      const starpu_task* const task = starpu_task_get_current();
      std::vector<double*> data;
      for (int i = 0; i < task->nbuffers; ++i) {
        data.push_back(reinterpret_cast<double*>(starpu_data_get_interface_id(task->handles[i]) ==
                                                         STARPU_MATRIX_INTERFACE_ID
                                                     ? STARPU_MATRIX_GET_PTR(buffers[i])
                                                     : STARPU_VECTOR_GET_PTR(buffers[i])));
      }
      (*own)(data);
    };
    made.where = STARPU_CPU;
    made.nbuffers = STARPU_VARIABLE_NBUFFERS;
    made.name = "application";
    return made;
  }();
  starpu_task* const task = starpu_task_create();
  task->cl = &codelet;
  task->cl_arg = new OwnWork(std::move(work));
  task->nbuffers = static_cast<int>(accesses.size());
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    task->handles[i] = accesses[i].handle;
    task->modes[i] = accesses[i].mode;
  }
  if (starpu_task_submit(task) != 0) throw std::runtime_error("StarPU takes no task");
}

/// Submits a task on the vector that ends when the flag is set. Later tasks on the vector wait for
/// it.
inline void submit_gate(const Vector& data, const std::atomic<bool>& may_end) {
  submit_own_task({{data.handle(), STARPU_RW}}, [&may_end](auto) {
    while (!may_end) std::this_thread::yield();
  });
}

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
