// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/codelet.hpp"

#include <array>
#include <climits>

#include "codelets/coprocessor/functions.hpp"
#include "codelets/cpu_function.hpp"
#include "codelets/cuda/functions.hpp"
#include "codelets/payload/task_payload.hpp"
#include "perfmodels/starpu_models.hpp"

namespace espalier::internal {

namespace {

/// Runs a task on a CPU although an accelerator could have run it.
void run_payload_on_cpu(void* buffers[], void* argument) noexcept {
  const BoundTask* const task = static_cast<const TaskPayload*>(argument)->task;
  run_on_cpu(buffers, const_cast<BoundTask*>(task));
}

starpu_codelet on_cpus(TaskKind kind) {
  const TaskKindTraits& traits = traits_of(kind);
  starpu_codelet codelet;
  starpu_codelet_init(&codelet);
  codelet.cpu_funcs[0] = run_on_cpu;
  codelet.cpu_funcs_name[0] = "run_on_cpu";
  codelet.flags = STARPU_CODELET_SIMGRID_EXECUTE;  // a simulation runs and times the function
  codelet.where = STARPU_CPU;
  codelet.nbuffers = STARPU_VARIABLE_NBUFFERS;
  codelet.dyn_nodes = unused_memory_nodes();
  codelet.model = performance_model(kind);
  codelet.name = traits.symbol;
  codelet.color = traits.color;
  if (traits.slices) {
    codelet.type = STARPU_SPMD;
    codelet.max_parallelism = INT_MAX;
  }
  return codelet;
}

starpu_codelet for_batches(TaskKind kind) {
  starpu_codelet codelet = on_cpus(kind);
  codelet.cpu_funcs[0] = run_batch_on_cpu;
  codelet.cpu_funcs_name[0] = "run_batch_on_cpu";
  codelet.type = STARPU_SEQ;
  codelet.max_parallelism = 1;
  return codelet;
}

starpu_codelet for_ordered(TaskKind kind) {
  starpu_codelet codelet = on_cpus(kind);
  codelet.cpu_funcs[0] = run_ordered_on_cpu;
  codelet.cpu_funcs_name[0] = "run_ordered_on_cpu";
  codelet.nbuffers = 0;
  codelet.dyn_nodes = nullptr;
  return codelet;
}

starpu_codelet on_accelerators(TaskKind kind) {
  starpu_codelet codelet = on_cpus(kind);
  codelet.cpu_funcs[0] = run_payload_on_cpu;
  codelet.cpu_funcs_name[0] = coprocessor::function_name(kind);
  codelet.where = STARPU_CPU | STARPU_TCPIP_MS;
  if (const cuda::Function function = cuda::function(kind)) {
    codelet.cuda_funcs[0] = function;
    codelet.cuda_flags[0] = STARPU_CUDA_ASYNC;
    codelet.where |= STARPU_CUDA;
  }
  return codelet;
}

using Codelets = std::array<starpu_codelet, task_kinds>;

Codelets of_all_kinds(starpu_codelet (*made)(TaskKind)) {
  Codelets codelets;
  for (std::size_t kind = 0; kind < task_kinds; ++kind) {
    codelets[kind] = made(static_cast<TaskKind>(kind));
  }
  return codelets;
}

}  // namespace

int* unused_memory_nodes() {
  // Pages that are never read take no memory.
  static std::array<int, most_data_of_task> nodes;
  return nodes.data();
}

starpu_codelet* codelet(TaskKind kind) {
  static Codelets codelets = of_all_kinds(on_cpus);
  return &codelets[static_cast<std::size_t>(kind)];
}

starpu_codelet* batch_codelet(TaskKind kind) {
  static Codelets codelets = of_all_kinds(for_batches);
  return &codelets[static_cast<std::size_t>(kind)];
}

starpu_codelet* ordered_codelet(TaskKind kind) {
  static Codelets codelets = of_all_kinds(for_ordered);
  return &codelets[static_cast<std::size_t>(kind)];
}

starpu_codelet* accelerated_codelet(TaskKind kind) {
  static Codelets codelets = of_all_kinds(on_accelerators);
  return &codelets[static_cast<std::size_t>(kind)];
}

}  // namespace espalier::internal
