// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/starpu/new_task.hpp"

#include <cstdlib>
#include <new>
#include <tuple>

#include "espalier/error.hpp"

namespace espalier::internal {

namespace {

/// Returns memory that StarPU frees with the task.
template <class T>
T* allocate(std::size_t count) {
  // NOLINTNEXTLINE(bugprone-sizeof-expression): StarPU's handles are pointers
  T* const memory = static_cast<T*>(std::malloc(count * sizeof(T)));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

AccessArrays access_arrays(starpu_task& task, std::size_t count) {
  task.nbuffers = static_cast<int>(count);
  if (count <= STARPU_NMAXBUFS) return {task.handles, task.modes};
  task.dyn_handles = allocate<starpu_data_handle_t>(count);
  task.dyn_modes = allocate<starpu_data_access_mode>(count);
  return {task.dyn_handles, task.dyn_modes};
}

void submit(NewTask task, Completion& completion) {
  completion.begin_one();
  if (starpu_task_submit(task.get()) != 0) {
    completion.end_one();
    throw RuntimeFailure("no StarPU worker can run a task of Espalier; give it a CPU worker");
  }
  std::ignore = task.release();
}

}  // namespace espalier::internal
