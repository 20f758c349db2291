// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/starpu/host_task.hpp"

#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "codelets/codelet.hpp"
#include "runtime/starpu/new_task.hpp"

namespace espalier::internal {

namespace {

/// A task with its completion, owned by StarPU's task.
struct Submitted {
  HostTask task;
  Completion& completion;
  std::size_t accesses;
};

void run(void* buffers[], void* argument) noexcept {
  const auto& submitted = *static_cast<const Submitted*>(argument);
  std::vector<ApplicationView> data;
  for (std::size_t i = 0; i < submitted.accesses; ++i) {
    data.push_back(view_of_application(buffers[i]));
  }
  submitted.task.work(data);
}

void ended(void* argument) noexcept {
  const std::unique_ptr<Submitted> submitted(static_cast<Submitted*>(argument));
  submitted->completion.end_one();
}

void fence_ended(void* completion) noexcept { static_cast<Completion*>(completion)->end_one(); }

starpu_codelet on_host() {
  starpu_codelet codelet;
  starpu_codelet_init(&codelet);
  codelet.cpu_funcs[0] = run;
  codelet.flags = STARPU_CODELET_SIMGRID_EXECUTE;
  codelet.where = STARPU_CPU;
  codelet.nbuffers = STARPU_VARIABLE_NBUFFERS;
  codelet.name = "application data";
  return codelet;
}

starpu_codelet on_nothing() {
  starpu_codelet codelet;
  starpu_codelet_init(&codelet);
  codelet.where = STARPU_NOWHERE;
  codelet.nbuffers = STARPU_VARIABLE_NBUFFERS;
  codelet.dyn_nodes = unused_memory_nodes();
  codelet.name = "fence";
  return codelet;
}

NewTask new_task(starpu_codelet& codelet, std::span<const starpu_data_descr> accesses) {
  NewTask task(starpu_task_create());
  task->cl = &codelet;
  const AccessArrays arrays = access_arrays(*task, accesses.size());
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    arrays.handle[i] = accesses[i].handle;
    arrays.mode[i] = accesses[i].mode;
  }
  return task;
}

}  // namespace

void submit(HostTask task, std::span<const starpu_data_descr> accesses, Completion& completion) {
  static starpu_codelet codelet = on_host();
  NewTask made = new_task(codelet, accesses);
  made->name = task.name;
  made->priority = starpu_sched_get_max_priority();
  auto argument =
      std::make_unique<Submitted>(Submitted{std::move(task), completion, accesses.size()});
  made->cl_arg = argument.get();
  made->callback_func = ended;
  made->callback_arg = argument.get();
  submit(std::move(made), completion);
  std::ignore = argument.release();
}

void submit_fence(std::span<const starpu_data_handle_t> data, starpu_data_handle_t last,
                  Completion& completion) {
  static starpu_codelet codelet = on_nothing();
  std::vector<starpu_data_descr> accesses;
  const auto submit_one = [&] {
    accesses.push_back({last, STARPU_RW});
    NewTask made = new_task(codelet, accesses);
    made->callback_func = fence_ended;
    made->callback_arg = &completion;
    submit(std::move(made), completion);
    accesses.clear();
  };
  for (const starpu_data_handle_t handle : data) {
    if (handle == nullptr) continue;
    accesses.push_back({handle, STARPU_W});
    if (accesses.size() + 1 == most_data_of_task) submit_one();
  }
  submit_one();
}

}  // namespace espalier::internal
