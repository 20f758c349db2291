// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/coprocessor/tasks.hpp"
#include "codelets/product.hpp"

namespace espalier::coprocessor {

void update(MessageReader message, TaskData data, const Desk& desk) {
  const Index targets = message.number();
  for (Index t = 0; t < targets; ++t) {
    Product::read(message).subtract(desk.kernels, data[targets], data.back(), data[t], desk.buffer);
  }
}

}  // namespace espalier::coprocessor
