// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/backward.hpp"

namespace espalier {

namespace {

/// Copies x at the external rows of the node out of the parent's front.
void take_from_parent(const BackwardTask& task, const NodeFront& node, ConstMatrixView parent) {
  const auto rows = task.node->external_rows;
  const PanelStructure& structure = *task.context->structure;
  const SolveNode& above = *task.node->parent;
  const Index first = structure.panel_begin[above.panel_begin];
  const Index end = structure.panel_begin[above.panel_end];
  std::size_t outside = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Index from = rows[i] - first;
    if (rows[i] >= end) {
      while (above.external_rows[outside] != rows[i]) ++outside;
      from = end - first + static_cast<Index>(outside);
    }
    const Index to = node.columns() + static_cast<Index>(i);
    for (Index r = 0; r < parent.columns; ++r) node.front()(to, r) = parent(from, r);
  }
}

/// x -= L(below)ᵀ front(rows below), straight where these rows are consecutive in the front.
void subtract_below(const NodeFront& node, ConstMatrixView below, std::span<const Index> rows,
                    MatrixView x, Worker& worker) {
  const Index first = node.place(rows.front());
  const MatrixView& front = node.front();
  if (node.place(rows.back()) - first == below.rows - 1) {
    worker.kernels.multiply_transposed(below, front.row_range(first, below.rows), x);
    return;
  }
  const MatrixView gathered{worker.workspace.vectors.data(), below.rows, x.columns, below.rows};
  for (Index r = 0; r < x.columns; ++r) {
    for (Index i = 0; i < below.rows; ++i) gathered(i, r) = front(node.place(rows[i]), r);
  }
  worker.kernels.multiply_transposed(below, gathered, x);
}

void store(const BackwardTask& task, const NodeFront& node) {
  const Index n = task.context->structure->n;
  const Index* const old_of = task.old_of + node.first_column();
  for (Index r = 0; r < node.front().columns; ++r) {
    double* const x = task.vectors->x + static_cast<Count>(r) * n;
    const double* const column = node.front().column(r);
    for (Index i = 0; i < node.columns(); ++i) x[old_of[i]] = column[i];
  }
}

}  // namespace

void BackwardTask::run(TaskData data, Worker& worker) const {
  const NodeFront current(*this, data[0], worker);
  if (node->parent) take_from_parent(*this, current, data[1]);
  for (Index p = node->panel_end - 1; p >= node->panel_begin; --p) {
    const ConstMatrixView panel = current.panel(p);
    const Index width = panel.columns;
    const MatrixView x = current.own_rows(p);
    if (panel.rows > width) {
      const auto rows = context->structure->rows(p).subspan(width);
      subtract_below(current, panel.row_range(width, panel.rows - width), rows, x, worker);
    }
    worker.kernels.solve_lower_transposed(panel.row_range(0, width), x);
  }
  store(*this, current);
}

}  // namespace espalier
