// SPDX-License-Identifier: BSD-3-Clause
#include "perfmodels/models.hpp"

#include <array>
#include <string>

#include "perfmodels/shape.hpp"

namespace espalier {

namespace {

double predicted_microseconds(starpu_task* task, unsigned /*implementation*/) {
  return static_cast<const Shape*>(task->cl_arg)->seconds * 1e6;
}

struct Models {
  std::array<std::string, task_kinds> symbol;
  std::array<starpu_perfmodel, task_kinds> model{};

  Models() {
    for (std::size_t kind = 0; kind < task_kinds; ++kind) {
      symbol[kind] = model_symbol_prefix + std::string(task_kind_names[kind]);
      model[kind].type = STARPU_COMMON;
      model[kind].cost_function = predicted_microseconds;
      model[kind].symbol = symbol[kind].c_str();
    }
  }
};

}  // namespace

starpu_perfmodel* performance_model(TaskKind kind) {
  static Models models;
  return &models.model[static_cast<std::size_t>(kind)];
}

}  // namespace espalier
