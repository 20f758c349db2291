// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/coprocessor/tasks.hpp"
#include "codelets/tasks/solve_tile.hpp"

namespace espalier::coprocessor {

void forward(MessageReader message, TaskData data, const Desk& desk) {
  solve_forward(message, data, desk.kernels);
}

void backward(MessageReader message, TaskData data, const Desk& desk) {
  solve_backward(message, data, desk.kernels);
}

}  // namespace espalier::coprocessor
