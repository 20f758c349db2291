// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/coprocessor/tasks.hpp"
#include "codelets/product.hpp"

namespace espalier::coprocessor {

void update(MessageReader message, TaskData data, const Desk& desk) {
  Product::read(message).subtract(desk.kernels, data[1], data.back(), data[0], desk.buffer);
}

}  // namespace espalier::coprocessor
