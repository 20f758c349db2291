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

struct Style {
  const char* name;
  unsigned color;  ///< its color in traces, 0xRRGGBB
  bool slices{};   ///< several workers can run it together, each its rows
};

constexpr std::array<Style, task_kinds> styles{{{"D", 0xc04040},
                                                {"F", 0x4060c0, true},
                                                {"U", 0x40a040, true},
                                                {"S", 0xc0a040},
                                                {"A", 0x9060b0, true},
                                                {"R", 0xb06080, true},
                                                {"fill", 0x909090},
                                                {"XF", 0x40b0b0},
                                                {"XB", 0x208080}}};

/// Runs on a CPU a task that an accelerator could have run as well.
void run_payload_on_cpu(void* buffers[], void* argument) noexcept {
  const BoundTask* const task = static_cast<const TaskPayload*>(argument)->task;
  run_on_cpu(buffers, const_cast<BoundTask*>(task));
}

/// StarPU 1.4 reads the node of every piece of data of a task from its codelet, though it uses none
/// of them, and a codelet has room for STARPU_NMAXBUFS. Pages that nobody reads take no memory.
std::array<int, most_data_of_task> unused_nodes;

starpu_codelet on_cpus(TaskKind kind) {
  const Style& style = styles[static_cast<std::size_t>(kind)];
  starpu_codelet codelet;
  starpu_codelet_init(&codelet);
  codelet.cpu_funcs[0] = run_on_cpu;
  codelet.cpu_funcs_name[0] = "run_on_cpu";
  codelet.flags = STARPU_CODELET_SIMGRID_EXECUTE;  // in a simulation the function takes the time
  codelet.where = STARPU_CPU;
  codelet.nbuffers = STARPU_VARIABLE_NBUFFERS;
  codelet.dyn_nodes = unused_nodes.data();
  codelet.model = performance_model(kind);
  codelet.name = style.name;
  codelet.color = style.color;
  if (style.slices) {
    codelet.type = STARPU_SPMD;
    codelet.max_parallelism = INT_MAX;
  }
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

bool has_slices(TaskKind kind) { return styles[static_cast<std::size_t>(kind)].slices; }

starpu_codelet* codelet(TaskKind kind) {
  static Codelets codelets = of_all_kinds(on_cpus);
  return &codelets[static_cast<std::size_t>(kind)];
}

starpu_codelet* accelerated_codelet(TaskKind kind) {
  static Codelets codelets = of_all_kinds(on_accelerators);
  return &codelets[static_cast<std::size_t>(kind)];
}

}  // namespace espalier::internal
