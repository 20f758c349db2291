// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/codelet.hpp"

#include <array>
#include <climits>

#include "codelets/coprocessor/functions.hpp"
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

/// A CPU worker runs the function that the task carries, on its own workspace. Of several workers
/// the first one alone runs a task without slices: StarPU's parallel modular policies give them
/// such tasks, too, once StarPU was started before with more workers.
void run_on_cpu(void* buffers[], void* argument) {
  const auto& task = *static_cast<const BoundTask*>(argument);
  constexpr std::size_t most = 16;
  const auto count = static_cast<std::size_t>(task.access_end - task.access_begin);
  std::array<MatrixView, most> few;
  std::vector<MatrixView> many(count > most ? count : 0);
  MatrixView* const data = count > most ? many.data() : few.data();
  for (std::size_t i = 0; i < count; ++i) data[i] = view_of(buffers[i]);
  const auto id = static_cast<std::size_t>(starpu_worker_get_id_check());
  Slice slice{starpu_combined_worker_get_rank(), starpu_combined_worker_get_size()};
  if (!styles[static_cast<std::size_t>(task.shape.kind)].slices) {
    if (slice.rank > 0) return;
    slice = {};
  }
  Worker worker{cpu::kernels, task.arguments->context->workspace[id], slice};
  task.perform({data, count}, worker);
}

/// Runs on a CPU a task that an accelerator could have run as well.
void run_payload_on_cpu(void* buffers[], void* argument) {
  const BoundTask* const task = static_cast<const TaskPayload*>(argument)->task;
  run_on_cpu(buffers, const_cast<BoundTask*>(task));
}

/// StarPU 1.4 reads the node of every piece of data of a task from its codelet, though it uses none
/// of them, and a codelet has room for STARPU_NMAXBUFS: the task that reads a whole factor has as
/// many as that has pieces. Pages that nobody reads take no memory.
constexpr std::size_t most_pieces = std::size_t{1} << 22;
std::array<int, most_pieces> unused_nodes;

starpu_codelet on_cpus(TaskKind kind) {
  const Style& style = styles[static_cast<std::size_t>(kind)];
  starpu_codelet codelet;
  starpu_codelet_init(&codelet);
  codelet.cpu_funcs[0] = run_on_cpu;
  codelet.cpu_funcs_name[0] = "run_on_cpu";
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

starpu_codelet* codelet(TaskKind kind) {
  static Codelets codelets = of_all_kinds(on_cpus);
  return &codelets[static_cast<std::size_t>(kind)];
}

starpu_codelet* accelerated_codelet(TaskKind kind) {
  static Codelets codelets = of_all_kinds(on_accelerators);
  return &codelets[static_cast<std::size_t>(kind)];
}

}  // namespace espalier::internal
