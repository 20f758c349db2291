// SPDX-License-Identifier: BSD-3-Clause

#include <limits>

#include "codelets/coprocessor/tasks.hpp"
#include "codelets/entries.hpp"
#include "codelets/payload/message.hpp"

namespace espalier::coprocessor {

void fill(MessageReader /*message*/, TaskData data, const DeviceContext& /*context*/) {
  fill_zero(data[0]);
}

void diagonal(MessageReader /*message*/, TaskData data, const DeviceContext& context) {
  const MatrixView block = data[0].row_range(0, data[0].columns);
  const Index bad = context.kernels.potrf(block);
  context.diagonal.clear();
  for (Index j = 0; j < block.columns; ++j) context.diagonal.push_back(block(j, j));
  if (bad >= 0) context.diagonal[bad] = std::numeric_limits<double>::quiet_NaN();
}

void factor(MessageReader message, TaskData data, const DeviceContext& context) {
  const Index skipped = message.number();
  const ConstMatrixView l = data.back().row_range(0, data[0].columns);
  context.kernels.trsm(l, data[0].row_range(skipped, data[0].rows - skipped), context.buffer);
}

void update(MessageReader message, TaskData data, const DeviceContext& context) {
  const Index targets = message.number();
  for (Index t = 0; t < targets; ++t) {
    Product::read(message).subtract(context.kernels, data[targets], data.back(), data[t],
                                    context.buffer);
  }
}

void assemble(MessageReader message, TaskData data, const DeviceContext& context) {
  const Index products = message.number();
  for (Index p = 0; p < products; ++p) {
    const Index begin = message.number();
    const Index height = message.number();
    const Index width = message.number();
    const ConstMatrixView source{data[1].data + begin, height, width, height};
    Product::read(message).subtract(context.kernels, source, source, data[0], context.buffer);
  }
}

void reduce(MessageReader message, TaskData data, const DeviceContext& /*context*/) {
  const auto row = message.list();
  const ConstMatrixView contribution = data[1];
  for (Index j = 0; j < contribution.columns; ++j) {
    double* const to = data[0].column(j);
    const double* const from = contribution.column(j);
    for (std::size_t i = 0; i < row.size(); ++i) to[row[i]] += from[i];
  }
}

}  // namespace espalier::coprocessor
