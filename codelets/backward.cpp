// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/backward.hpp"

#include <algorithm>

namespace espalier {

namespace {

void take_from_parent(const SolveNode& node) {
  const MatrixView above = node.parent->front;
  Index to = node.columns;
  for (const Index from : node.in_parent) {
    for (Index r = 0; r < above.rows; ++r) node.front(r, to) = above(r, from);
    ++to;
  }
}

void substitute_subtree(const BackwardTask& task, Worker& worker) {
  SubtreeRows rows(task, worker);
  for (Index p = task.panel_end - 1; p >= task.panel_begin; --p) {
    if (p > task.panel_begin) task.prefetch(p - 1);
    const ConstMatrixView panel = task.panel(p);
    worker.kernels.backward(panel, rows.gather(p));
    rows.scatter(panel.columns);
  }
  store_columns(task, task.node->first_column, task.front_rows(0, task.node->columns));
}

void substitute_tile(const BackwardTask& task, Worker& worker) {
  for (Index p = task.panel_end - 1; p >= task.panel_begin; --p) {
    const ConstMatrixView panel = task.panel(p);
    const Index begin = task.place(p);
    const Index top = std::max(task.row_begin, begin);
    const ConstMatrixView rows = panel.row_range(top - begin, task.row_end - top);
    const MatrixView y = task.front_rows(top, task.row_end);
    if (top == begin) {
      worker.kernels.backward(rows, y);
      store_columns(task, task.node->first_column + begin,
                    task.front_rows(begin, begin + panel.columns));
    } else {
      worker.kernels.multiply_transposed(rows, y, task.front_rows(begin, begin + panel.columns));
    }
  }
}

}  // namespace

void BackwardTask::run(TaskData, Worker& worker) const {
  if (first) take_from_parent(*node);
  if (node->supernode) {
    substitute_tile(*this, worker);
  } else {
    substitute_subtree(*this, worker);
  }
}

void StoreTask::run(TaskData data, Worker&) const { store_columns(*this, first_column, data[0]); }

}  // namespace espalier
