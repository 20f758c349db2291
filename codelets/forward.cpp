// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/forward.hpp"

#include <algorithm>

namespace espalier {

namespace {

/// b in the numbering of A to rows of the front that are columns of the node, in strips whose rows
/// stay in the first-level cache from one vector to the next.
void load_columns(const ForwardTask& task, Index begin, Index end) {
  constexpr Index strip = 32;
  const Count n = task.context->structure->n;
  const Index* const old_of = task.old_of + task.node->first_column;
  const MatrixView front = task.node->front;
  for (Index i = begin; i < end; i += strip) {
    const Index stop = std::min<Index>(i + strip, end);
    for (Index r = 0; r < front.rows; ++r) {
      const double* const b = task.vectors->b + r * n;
      for (Index k = i; k < stop; ++k) front(r, k) = b[old_of[k]];
    }
  }
}

/// Adds the external rows of a child to those rows of the front that the task works on.
void add_child(const ForwardTask& task, const SolveNode& child) {
  const auto& to = child.in_parent;
  const auto begin = std::lower_bound(to.begin(), to.end(), task.row_begin);
  const auto end = std::lower_bound(begin, to.end(), task.row_end);
  const MatrixView front = task.node->front;
  for (auto at = begin; at != end; ++at) {
    const Index from = child.columns + static_cast<Index>(at - to.begin());
    for (Index r = 0; r < front.rows; ++r) front(r, *at) += child.front(r, from);
  }
}

void load(const ForwardTask& task) {
  const Index columns_end = std::min(task.row_end, task.node->columns);
  load_columns(task, task.row_begin, columns_end);
  const Index outside = std::max(task.row_begin, columns_end);
  const MatrixView rest = task.front_rows(outside, task.row_end);
  std::fill_n(rest.data, static_cast<Count>(rest.rows) * rest.columns, 0.0);
  for (const SolveNode* child : task.node->children) add_child(task, *child);
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
