// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/forward.hpp"

#include <algorithm>

namespace espalier {

namespace {

void load(const ForwardTask& task, const NodeFront& node) {
  const Index n = task.context->structure->n;
  const Index* const old_of = task.old_of + node.first_column();
  for (Index r = 0; r < node.front().columns; ++r) {
    const double* const b = task.vectors->b + static_cast<Count>(r) * n;
    double* const column = node.front().column(r);
    for (Index i = 0; i < node.columns(); ++i) column[i] = b[old_of[i]];
    std::fill(column + node.columns(), column + node.front().rows, 0.0);
  }
}

void add_child(const NodeFront& node, const SolveNode& child, ConstMatrixView front) {
  const auto rows = child.external_rows;
  const Index own = front.rows - static_cast<Index>(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Index to = node.place(rows[i]);
    const Index from = own + static_cast<Index>(i);
    for (Index r = 0; r < front.columns; ++r) node.front()(to, r) += front(from, r);
  }
}

/// front(rows below) -= L(below) x, straight where these rows are consecutive in the front.
void subtract_below(const NodeFront& node, ConstMatrixView below, std::span<const Index> rows,
                    MatrixView x, Worker& worker) {
  const Index first = node.place(rows.front());
  const MatrixView& front = node.front();
  if (node.place(rows.back()) - first == below.rows - 1) {
    worker.kernels.multiply(below, x, front.row_range(first, below.rows));
    return;
  }
  const MatrixView product{worker.workspace.vectors.data(), below.rows, x.columns, below.rows};
  std::fill_n(product.data, static_cast<Count>(below.rows) * x.columns, 0.0);
  worker.kernels.multiply(below, x, product);
  for (Index r = 0; r < x.columns; ++r) {
    for (Index i = 0; i < below.rows; ++i) front(node.place(rows[i]), r) += product(i, r);
  }
}

}  // namespace

void ForwardTask::run(TaskData data, Worker& worker) const {
  const NodeFront current(*this, data[0], worker);
  load(*this, current);
  for (std::size_t c = 0; c < node->children.size(); ++c) {
    add_child(current, *node->children[c], data[c + 1]);
  }
  for (Index p = node->panel_begin; p < node->panel_end; ++p) {
    const ConstMatrixView panel = current.panel(p);
    const Index width = panel.columns;
    const MatrixView x = current.own_rows(p);
    worker.kernels.solve_lower(panel.row_range(0, width), x);
    if (panel.rows == width) continue;
    const auto rows = context->structure->rows(p).subspan(width);
    subtract_below(current, panel.row_range(width, panel.rows - width), rows, x, worker);
  }
}

}  // namespace espalier
