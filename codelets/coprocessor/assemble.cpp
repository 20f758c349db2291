// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/coprocessor/tasks.hpp"
#include "codelets/product.hpp"

namespace espalier::coprocessor {

void assemble(MessageReader message, TaskData data, const Desk& desk) {
  const Index products = message.number();
  for (Index p = 0; p < products; ++p) {
    const Index begin = message.number();
    const Index height = message.number();
    const Index width = message.number();
    const ConstMatrixView source{data[1].data + begin, height, width, height};
    Product::read(message).subtract(desk.kernels, source, source, data[0], desk.buffer);
  }
}

}  // namespace espalier::coprocessor
