// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/forward.hpp"

#include <algorithm>

namespace espalier {

namespace {

void load(const ForwardTask& task) {
  const Index columns_end = std::min(task.row_end, task.node->columns);
  if (task.row_begin < columns_end) {
    load_columns(task, task.node->first_column + task.row_begin,
                 task.front_rows(task.row_begin, columns_end));
  }
  const Index outside = std::max(task.row_begin, columns_end);
  const MatrixView rest = task.front_rows(outside, task.row_end);
  std::fill_n(rest.data, static_cast<Count>(rest.rows) * rest.columns, 0.0);
  add_children(*task.node, task.row_begin, task.row_end);
}

void eliminate_subtree(const ForwardTask& task, Worker& worker) {
  SubtreeRows rows(task, worker);
  for (Index p = task.panel_begin; p < task.panel_end; ++p) {
    if (p + 1 < task.panel_end) task.prefetch(p + 1);
    const MatrixView x = rows.gather(p);
    worker.kernels.forward(task.panel(p), x);
    rows.scatter(x.columns);
  }
}

void eliminate_tile(const ForwardTask& task, Worker& worker) {
  for (Index p = task.panel_begin; p < task.panel_end; ++p) {
    const ConstMatrixView panel = task.panel(p);
    const Index begin = task.place(p);
    const Index top = std::max(task.row_begin, begin);
    const ConstMatrixView rows = panel.row_range(top - begin, task.row_end - top);
    const MatrixView y = task.front_rows(top, task.row_end);
    if (top == begin) {
      worker.kernels.forward(rows, y);
    } else {
      worker.kernels.multiply(rows, task.front_rows(begin, begin + panel.columns), y);
    }
  }
}

}  // namespace

void ForwardTask::run(TaskData, Worker& worker) const {
  if (first) load(*this);
  if (node->supernode) {
    eliminate_tile(*this, worker);
  } else {
    eliminate_subtree(*this, worker);
  }
}

}  // namespace espalier
