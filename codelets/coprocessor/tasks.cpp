// SPDX-License-Identifier: BSD-3-Clause

#include "codelets/coprocessor/tasks.hpp"

#include <algorithm>
#include <concepts>
#include <limits>

#include "codelets/entries.hpp"
#include "codelets/tasks/solve_tile.hpp"

namespace espalier::internal::coprocessor {

namespace {

void run(const FillMessage& /*message*/, TaskData data, const DeviceContext& /*context*/) {
  fill_zero(data[0]);
}

void run(const DiagonalMessage& /*message*/, TaskData data, const DeviceContext& context) {
  const MatrixView block = data[0].row_range(0, data[0].columns);
  const Index bad = context.kernels.potrf(block);
  for (Index j = 0; j < block.columns; ++j) context.diagonal.push_back(block(j, j));
  if (bad < 0) return;
  context.diagonal[bad] = std::numeric_limits<double>::quiet_NaN();
  mark_as_failed(block);
}

void run(const FactorMessage& message, TaskData data, const DeviceContext& context) {
  const MatrixView rows = data[0].row_range(message.skipped, data[0].rows - message.skipped);
  const ConstMatrixView l = data.back().row_range(0, data[0].columns);
  context.kernels.trsm(l, rows, context.buffer);
}

void run(const UpdateMessage& message, TaskData data, const DeviceContext& context) {
  const ConstMatrixView left = data[message.products.count];
  auto target = data.begin();
  message.products.for_each([&](const Product& product) {
    product.subtract(context.kernels, left, data.back(), *target++, context.buffer);
  });
}

void run(const AssembleMessage& message, TaskData data, const DeviceContext& context) {
  message.products.for_each([&](const PanelProduct& panel) {
    const ConstMatrixView source{data[1].data + panel.begin, panel.height, panel.width,
                                 panel.height};
    panel.product.subtract(context.kernels, source, source, data[0], context.buffer);
  });
}

void run(const ReduceMessage& message, TaskData data, const DeviceContext& /*context*/) {
  message.add(data[1], data[0]);
}

template <std::derived_from<SolveTileMessage> Message>
void run(const Message& message, TaskData data, const DeviceContext& context) {
  solve(message, data, context.kernels);
}

}  // namespace

bool run(const TaskPayload& payload, TaskData data, const DeviceContext& context) {
  if (std::ranges::any_of(data.subspan(1), is_marked_as_failed)) {
    mark_as_failed(data.front());
    return false;
  }
  payload.read([&](const auto& message) { run(message, data, context); });
  return true;
}

}  // namespace espalier::internal::coprocessor
