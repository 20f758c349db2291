// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/coprocessor/functions.hpp"

#include <starpu.h>

#include <array>
#include <string>

#include "base/clock.hpp"
#include "base/memory.hpp"
#include "codelets/codelet.hpp"
#include "codelets/coprocessor/tasks.hpp"
#include "espalier/export.hpp"

namespace {

/// Threads that run tasks together; null: StarPU's threads run them.
espalier::internal::ThreadTeam* team = nullptr;

/// Data that a thread of StarPU keeps between tasks. `buffer` is scratch memory for all threads
/// that run this thread's tasks. StarPU copies the result of a task before the next task starts.
struct Scratch {
  espalier::internal::Buffer buffer{espalier::internal::update_buffer_entries *
                                    (team == nullptr ? 1 : team->size())};
  std::vector<double> results;
  std::vector<double> returned;  ///< the seconds and the results
};

void serve(void* buffers[], void* argument) noexcept {
  thread_local Scratch scratch;
  const espalier::internal::Stopwatch watch;
  const auto& payload = *static_cast<const espalier::internal::TaskPayload*>(argument);
  std::array<espalier::internal::MatrixView, espalier::internal::most_data_of_payload> data;
  for (espalier::Index i = 0; i < payload.data; ++i)
    data[i] = espalier::internal::view_of(buffers[i]);
  scratch.results.clear();
  const bool has_run = espalier::internal::coprocessor::run(
      payload, espalier::internal::TaskData(data).first(payload.data),
      {espalier::internal::cpu::kernels, scratch.buffer.span(), scratch.results,
       espalier::internal::coprocessor::is_worth_a_team(payload.shape) ? team : nullptr});
  scratch.returned.assign(1, has_run ? watch.seconds() : espalier::internal::failure_mark);
  scratch.returned.insert(scratch.returned.end(), scratch.results.begin(), scratch.results.end());
  starpu_task* const task = starpu_task_get_current();
  task->cl_ret = scratch.returned.data();
  task->cl_ret_size = scratch.returned.size() * sizeof(double);
}

}  // namespace

// The functions that StarPU calls in the other process. It finds them by name among the symbols of
// the program.
extern "C" {
ESPALIER_EXPORT void espalier_coprocessor_diagonal(void* buffers[], void* argument) {
  serve(buffers, argument);
}
ESPALIER_EXPORT void espalier_coprocessor_factor(void* buffers[], void* argument) {
  serve(buffers, argument);
}
ESPALIER_EXPORT void espalier_coprocessor_update(void* buffers[], void* argument) {
  serve(buffers, argument);
}
ESPALIER_EXPORT void espalier_coprocessor_assemble(void* buffers[], void* argument) {
  serve(buffers, argument);
}
ESPALIER_EXPORT void espalier_coprocessor_reduce(void* buffers[], void* argument) {
  serve(buffers, argument);
}
ESPALIER_EXPORT void espalier_coprocessor_fill(void* buffers[], void* argument) {
  serve(buffers, argument);
}
ESPALIER_EXPORT void espalier_coprocessor_forward(void* buffers[], void* argument) {
  serve(buffers, argument);
}
ESPALIER_EXPORT void espalier_coprocessor_backward(void* buffers[], void* argument) {
  serve(buffers, argument);
}
}

namespace espalier::internal::coprocessor {

const char* function_name(TaskKind kind) {
  static const auto names = [] {
    std::array<std::string, task_kinds> all;
    for (std::size_t k = 0; k < task_kinds; ++k) {
      all[k] = "espalier_coprocessor_" + std::string(task_kind_table[k].name);
    }
    return all;
  }();
  if (!AcceleratorMessages::include(kind)) return nullptr;
  return names[static_cast<std::size_t>(kind)].c_str();
}

void use_team(ThreadTeam* threads) { team = threads; }

}  // namespace espalier::internal::coprocessor
