// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/coprocessor/functions.hpp"

#include <starpu.h>

#include <array>

#include "base/clock.hpp"
#include "base/memory.hpp"
#include "codelets/codelet.hpp"
#include "codelets/coprocessor/tasks.hpp"
#include "espalier/export.hpp"

namespace {

using espalier::TaskData;
using espalier::coprocessor::DeviceContext;

/// Of one thread: the pages of its scratch memory, and what its last task returned, which StarPU
/// copies before the next one.
struct Scratch {
  espalier::Buffer buffer{espalier::update_buffer_entries};
  std::vector<double> diagonal;
  std::vector<double> result;
};

using Run = void (*)(espalier::MessageReader message, TaskData data, const DeviceContext& context);

void serve(Run run, void* buffers[], void* argument) {
  thread_local Scratch scratch;
  const espalier::Stopwatch watch;
  const auto& payload = *static_cast<const espalier::TaskPayload*>(argument);
  std::array<espalier::MatrixView, espalier::most_data_of_payload> data;
  for (espalier::Index i = 0; i < payload.data; ++i) data[i] = espalier::view_of(buffers[i]);
  scratch.diagonal.clear();
  run(payload.message(), TaskData(data).first(payload.data),
      DeviceContext{espalier::cpu::kernels, scratch.buffer.span(), scratch.diagonal});
  scratch.result.assign(1, watch.seconds());
  scratch.result.insert(scratch.result.end(), scratch.diagonal.begin(), scratch.diagonal.end());
  starpu_task* const task = starpu_task_get_current();
  task->cl_ret = scratch.result.data();
  task->cl_ret_size = scratch.result.size() * sizeof(double);
}

}  // namespace

// What StarPU calls in the other process. It looks for the names among the symbols of the program.
extern "C" {
ESPALIER_EXPORT void espalier_coprocessor_diagonal(void* buffers[], void* argument) {
  serve(espalier::coprocessor::diagonal, buffers, argument);
}
ESPALIER_EXPORT void espalier_coprocessor_factor(void* buffers[], void* argument) {
  serve(espalier::coprocessor::factor, buffers, argument);
}
ESPALIER_EXPORT void espalier_coprocessor_update(void* buffers[], void* argument) {
  serve(espalier::coprocessor::update, buffers, argument);
}
ESPALIER_EXPORT void espalier_coprocessor_assemble(void* buffers[], void* argument) {
  serve(espalier::coprocessor::assemble, buffers, argument);
}
ESPALIER_EXPORT void espalier_coprocessor_reduce(void* buffers[], void* argument) {
  serve(espalier::coprocessor::reduce, buffers, argument);
}
ESPALIER_EXPORT void espalier_coprocessor_forward(void* buffers[], void* argument) {
  serve(espalier::coprocessor::forward, buffers, argument);
}
ESPALIER_EXPORT void espalier_coprocessor_backward(void* buffers[], void* argument) {
  serve(espalier::coprocessor::backward, buffers, argument);
}
ESPALIER_EXPORT void espalier_coprocessor_fill(void* buffers[], void* argument) {
  serve(espalier::coprocessor::fill, buffers, argument);
}
}

namespace espalier::coprocessor {

const char* function_name(TaskKind kind) {
  switch (kind) {
    case TaskKind::diagonal: return "espalier_coprocessor_diagonal";
    case TaskKind::factor: return "espalier_coprocessor_factor";
    case TaskKind::update: return "espalier_coprocessor_update";
    case TaskKind::assemble: return "espalier_coprocessor_assemble";
    case TaskKind::reduce: return "espalier_coprocessor_reduce";
    case TaskKind::fill: return "espalier_coprocessor_fill";
    case TaskKind::forward: return "espalier_coprocessor_forward";
    case TaskKind::backward: return "espalier_coprocessor_backward";
    default: return nullptr;
  }
}

}  // namespace espalier::coprocessor
