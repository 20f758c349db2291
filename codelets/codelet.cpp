// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/codelet.hpp"

#include <array>
#include <climits>

#include "perfmodels/models.hpp"

namespace espalier {

namespace {

MatrixView view_of(void* buffer) {
  return {reinterpret_cast<double*>(STARPU_MATRIX_GET_PTR(buffer)),
          static_cast<Index>(STARPU_MATRIX_GET_NX(buffer)),
          static_cast<Index>(STARPU_MATRIX_GET_NY(buffer)),
          static_cast<Count>(STARPU_MATRIX_GET_LD(buffer))};
}

struct Style {
  const char* name;
  unsigned color;  ///< in traces, 0xRRGGBB
  bool slices{};   ///< several workers can run it together, each its rows
};

constexpr std::array<Style, task_kinds> styles{{{"D", 0xc04040},
                                                {"F", 0x4060c0, true},
                                                {"U", 0x40a040, true},
                                                {"S", 0xc0a040},
                                                {"A", 0x9060b0, true},
                                                {"R", 0xb06080, true},
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
  task.perform(task, {data, count}, worker);
}

struct Codelets {
  std::array<starpu_codelet, task_kinds> of_kind{};

  Codelets() {
    for (std::size_t kind = 0; kind < task_kinds; ++kind) {
      starpu_codelet& codelet = of_kind[kind];
      starpu_codelet_init(&codelet);
      codelet.cpu_funcs[0] = run_on_cpu;
      codelet.cpu_funcs_name[0] = "run_on_cpu";
      codelet.where = STARPU_CPU;
      codelet.nbuffers = STARPU_VARIABLE_NBUFFERS;
      codelet.model = performance_model(static_cast<TaskKind>(kind));
      codelet.name = styles[kind].name;
      codelet.color = styles[kind].color;
      if (!styles[kind].slices) continue;
      codelet.type = STARPU_SPMD;
      codelet.max_parallelism = INT_MAX;
    }
  }
};

}  // namespace

starpu_codelet* codelet(TaskKind kind) {
  static Codelets codelets;
  return &codelets.of_kind[static_cast<std::size_t>(kind)];
}

}  // namespace espalier
