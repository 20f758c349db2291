// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/coprocessor/tasks.hpp"
#include "codelets/tasks/solve_tile.hpp"

namespace espalier::coprocessor {

void forward(MessageReader message, TaskData data, const DeviceContext& context) {
  solve_forward(message, data, context.kernels);
}

void backward(MessageReader message, TaskData data, const DeviceContext& context) {
  solve_backward(message, data, context.kernels);
}

}  // namespace espalier::coprocessor
