// SPDX-License-Identifier: BSD-3-Clause

#include "codelets/tasks/solve.hpp"

#include <algorithm>

#include "codelets/relative_indices.hpp"

namespace espalier::internal {

namespace {

/// Adds the external rows of a child to rows [row_begin, row_end) of its parent.
void add_child(const SolveNode& child, Index row_begin, Index row_end, MatrixView vectors) {
  const auto& to = child.in_parent;
  const auto begin = std::lower_bound(to.begin(), to.end(), row_begin);
  const auto end = std::lower_bound(begin, to.end(), row_end);
  for (auto at = begin; at != end; ++at) {
    const Index from = child.columns + static_cast<Index>(at - to.begin());
    for (Index r = 0; r < vectors.rows; ++r) vectors(r, *at) += child.vectors(r, from);
  }
}

/// Columns per strip: the rows of a strip stay in the first-level cache from one vector to the
/// next.
constexpr Index strip = 32;

}  // namespace

void add_children(const SolveNode& node, Index row_begin, Index row_end) {
  for (const SolveNode* child : node.children) add_child(*child, row_begin, row_end, node.vectors);
}

namespace {

/// Returns the leading dimension of vectors: `given`, or n if it is 0.
Count leading_dimension(const VectorArguments& task, Count given) {
  return given > 0 ? given : task.context->structure->n;
}

}  // namespace

void load_columns(const VectorArguments& task, Index first, MatrixView rows) {
  const Count ld = leading_dimension(task, task.vectors->ldb);
  const Index* const old_of = task.old_of + first;
  for (Index i = 0; i < rows.columns; i += strip) {
    const Index stop = std::min<Index>(i + strip, rows.columns);
    for (Index r = 0; r < rows.rows; ++r) {
      const double* const b = task.vectors->b + r * ld;
      for (Index k = i; k < stop; ++k) rows(r, k) = b[old_of[k]];
    }
  }
  if (task.vectors->scale_b == nullptr) return;
  for (Index k = 0; k < rows.columns; ++k) {
    const double factor = task.vectors->scale_b[old_of[k]];
    for (Index r = 0; r < rows.rows; ++r) rows(r, k) *= factor;
  }
}

void store_columns(const VectorArguments& task, Index first, ConstMatrixView rows) {
  const Count ld = leading_dimension(task, task.vectors->ldx);
  const Index* const old_of = task.old_of + first;
  const Index last = rows.columns - 1;
  for (Index i = 0; i < rows.columns; i += strip) {
    const Index stop = std::min<Index>(i + strip, rows.columns);
    for (Index r = 0; r < rows.rows; ++r) {
      double* const x = task.vectors->x + r * ld;
      for (Index k = i; k < stop; ++k) {
        __builtin_prefetch(x + old_of[std::min(k + strip, last)], 1);
        x[old_of[k]] = rows(r, k);
      }
    }
  }
  if (task.vectors->scale_x == nullptr) return;
  for (Index r = 0; r < rows.rows; ++r) {
    double* const x = task.vectors->x + r * ld;
    for (Index k = 0; k < rows.columns; ++k) x[old_of[k]] *= task.vectors->scale_x[old_of[k]];
  }
}

ConstMatrixView SolveArguments::panel(Index p) const {
  const PanelStructure& structure = *context->structure;
  const Index height = structure.height(p);
  return {values + structure.value_begin[p], height, structure.width(p), height};
}

OperationCounts SolveArguments::count_operations(Index columns) const {
  const PanelStructure& structure = *context->structure;
  OperationCounts counts;
  for (Index p = panel_begin; p < panel_end; ++p) {
    const Index width = structure.width(p);
    const bool has_triangle = !node->supernode || row_begin <= place(p);
    const Index rows =
        node->supernode ? row_end - std::max(row_begin, place(p)) : structure.height(p);
    if (has_triangle) counts.trsm(columns, width);
    counts.gemm(has_triangle ? rows - width : rows, columns, width);
  }
  return counts;
}

SubtreeRows::SubtreeRows(const SolveArguments& task, Worker& worker)
    : node_(*task.node),
      structure_(*task.context->structure),
      gathered_(worker.workspace.vectors.data()),
      position_(worker.workspace.position.data()) {
  const auto rows = node_.external_rows;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    position_[rows[i]] = node_.columns + static_cast<Index>(i);
  }
}

namespace {

/// Calls move(position in the node, position among the rows) for each row. The first `inside` rows
/// are columns of the node.
template <class Move>
void for_each_row(std::span<const Index> rows, Index first_column, Index inside,
                  const Index* position, Move move) {
  for (Index i = 0; i < inside; ++i) move(rows[i] - first_column, i);
  for (Index i = inside; i < static_cast<Index>(rows.size()); ++i) move(position[rows[i]], i);
}

void copy(const double* from, double* to, Index count) {
  for (Index r = 0; r < count; ++r) to[r] = from[r];
}

}  // namespace

MatrixView SubtreeRows::gather(Index p) {
  rows_ = structure_.rows(p);
  const auto height = static_cast<Index>(rows_.size());
  const Index end = node_.first_column + node_.columns;
  const bool all_inside = rows_.back() < end;
  inside_ =
      all_inside
          ? height
          : static_cast<Index>(std::lower_bound(rows_.begin(), rows_.end(), end) - rows_.begin());
  in_place_ = all_inside && contiguous(rows_);
  const Index own = rows_.front() - node_.first_column;
  if (in_place_) return node_.vectors.column_range(own, height);
  const Index count = node_.vectors.rows;
  const double* const vectors = node_.vectors.data;
  double* const to = gathered_;
  if (count == 1) {
    for_each_row(rows_, node_.first_column, inside_, position_,
                 [=](Index place, Index i) { to[i] = vectors[place]; });
  } else {
    for_each_row(rows_, node_.first_column, inside_, position_, [=](Index place, Index i) {
      copy(vectors + static_cast<Count>(place) * count, to + static_cast<Count>(i) * count, count);
    });
  }
  return {gathered_, count, height, count};
}

void SubtreeRows::scatter(Index rows) const {
  if (in_place_) return;
  const Index count = node_.vectors.rows;
  double* const vectors = node_.vectors.data;
  const double* const from = gathered_;
  const auto part = rows_.first(rows);
  const Index inside = std::min(inside_, rows);
  if (count == 1) {
    for_each_row(part, node_.first_column, inside, position_,
                 [=](Index place, Index i) { vectors[place] = from[i]; });
  } else {
    for_each_row(part, node_.first_column, inside, position_, [=](Index place, Index i) {
      copy(from + static_cast<Count>(i) * count, vectors + static_cast<Count>(place) * count,
           count);
    });
  }
}

namespace {

void load(const ForwardTask& task) {
  const Index columns_end = std::min(task.row_end, task.node->columns);
  if (task.row_begin < columns_end) {
    load_columns(task, task.node->first_column + task.row_begin,
                 task.node_rows(task.row_begin, columns_end));
  }
  const Index outside = std::max(task.row_begin, columns_end);
  const MatrixView rest = task.node_rows(outside, task.row_end);
  std::fill_n(rest.data, static_cast<Count>(rest.rows) * rest.columns, 0.0);
  add_children(*task.node, task.row_begin, task.row_end);
}

namespace {

/// Prefetches panel p, or as much of it as fits into the first-level cache. Does nothing for one
/// vector, because its kernels prefetch themselves. Forced inlining is necessary: GCC assumes that
/// a function that only prefetches has no effect and removes its calls.
[[gnu::always_inline]] inline void prefetch(const SolveArguments& task, Index p) {
  if (task.vectors->count == 1) return;
  constexpr Count line = 8;
  constexpr Count most = Count{1} << 10;
  const PanelStructure& structure = *task.context->structure;
  const Count begin = structure.value_begin[p];
  const Count end = std::min(structure.value_begin[p + 1], begin + most);
  for (Count at = begin; at < end; at += line) __builtin_prefetch(task.values + at);
}

}  // namespace

/// Returns whether the panel is a single diagonal entry, without entries below it.
bool is_single(const PanelStructure& structure, Index p) { return structure.height(p) == 1; }

/// Divides the rows of single panels [begin, end) by their diagonal entries. Multiplies by the
/// inverse, as the kernels do. Calls of kernels would take several times as long.
void divide_by_singles(const SolveArguments& task, Index begin, Index end) {
  const PanelStructure& structure = *task.context->structure;
  const Count* const l = structure.value_begin.data() + begin;
  const MatrixView x = task.node_rows(task.place(begin), task.place(begin) + end - begin);
  if (x.rows == 1) {
    double* const only = x.data;
    for (Index k = 0; k < x.columns; ++k) only[k] *= 1 / task.values[l[k]];
    return;
  }
  for (Index k = 0; k < x.columns; ++k) {
    const double inverse = 1 / task.values[l[k]];
    for (Index r = 0; r < x.rows; ++r) x(r, k) *= inverse;
  }
}

/// Returns whether the task has one vector and the panel one column. Kernels, and the copies of
/// rows for them, would take several times as long as the arithmetic.
bool is_column(const SolveArguments& task, Index p) {
  return task.vectors->count == 1 && task.context->structure->width(p) == 1;
}

/// A panel of one column: its entries and its rows below the diagonal.
struct Column {
  Column(const SolveArguments& task, Index p)
      : diagonal(task.values + task.context->structure->value_begin[p]),
        below(task.context->structure->rows(p).subspan(1)) {}

  const double* diagonal;
  std::span<const Index> below;
};

void eliminate_column(const ForwardTask& task, const SubtreeRows& rows, Index p) {
  const Column l(task, p);
  double* const x = task.node->vectors.data;
  double factor = x[task.place(p)] *= 1 / *l.diagonal;
  if (const Signs sign = task.signs(p)) factor *= *sign;
  const double* entry = l.diagonal;
  for (const Index row : l.below) x[rows.place(row)] -= *++entry * factor;
}

void eliminate_subtree(const ForwardTask& task, Worker& worker) {
  const PanelStructure& structure = *task.context->structure;
  SubtreeRows rows(task, worker);
  for (Index p = task.panel_begin; p < task.panel_end; ++p) {
    if (is_single(structure, p)) {
      const Index begin = p;
      while (p + 1 < task.panel_end && is_single(structure, p + 1)) ++p;
      divide_by_singles(task, begin, p + 1);
      continue;
    }
    if (is_column(task, p)) {
      eliminate_column(task, rows, p);
      continue;
    }
    if (p + 1 < task.panel_end) prefetch(task, p + 1);
    const MatrixView x = rows.gather(p);
    const ConstMatrixView panel = task.panel(p);
    task.pivots().apply(structure.panel_begin[p], x.column_range(0, panel.columns));
    worker.kernels.forward(panel, x, task.signs(p));
    rows.scatter(x.columns);
  }
}

void eliminate_tile(const ForwardTask& task, Worker& worker) {
  for (Index p = task.panel_begin; p < task.panel_end; ++p) {
    const ConstMatrixView panel = task.panel(p);
    const Index begin = task.place(p);
    const Index top = std::max(task.row_begin, begin);
    const ConstMatrixView rows = panel.row_range(top - begin, task.row_end - top);
    const MatrixView y = task.node_rows(top, task.row_end);
    if (top == begin) {
      task.pivots().apply(task.first_column(p), y.column_range(0, panel.columns));
      worker.kernels.forward(rows, y, task.signs(p));
    } else {
      worker.kernels.multiply(rows, task.node_rows(begin, begin + panel.columns), y, task.signs(p),
                              worker.workspace.buffer.span());
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

namespace {

void take_from_parent(const SolveNode& node) {
  const MatrixView above = node.parent->vectors;
  Index to = node.columns;
  for (const Index from : node.in_parent) {
    for (Index r = 0; r < above.rows; ++r) node.vectors(r, to) = above(r, from);
    ++to;
  }
}

void substitute_column(const BackwardTask& task, const SubtreeRows& rows, Index p) {
  const Column l(task, p);
  double* const x = task.node->vectors.data;
  double own = x[task.place(p)];
  const double* entry = l.diagonal;
  for (const Index row : l.below) own -= *++entry * x[rows.place(row)];
  if (const Signs sign = task.signs(p)) own *= *sign;
  x[task.place(p)] = own * (1 / *l.diagonal);
}

void substitute_subtree(const BackwardTask& task, Worker& worker) {
  const PanelStructure& structure = *task.context->structure;
  SubtreeRows rows(task, worker);
  for (Index p = task.panel_end - 1; p >= task.panel_begin; --p) {
    if (is_single(structure, p)) {
      const Index end = p + 1;
      while (p > task.panel_begin && is_single(structure, p - 1)) --p;
      divide_by_singles(task, p, end);
      task.context->signs.flip(structure.panel_begin[p],
                               task.node_rows(task.place(p), task.place(p) + end - p));
      continue;
    }
    if (is_column(task, p)) {
      substitute_column(task, rows, p);
      continue;
    }
    if (p > task.panel_begin) prefetch(task, p - 1);
    const ConstMatrixView panel = task.panel(p);
    const MatrixView x = rows.gather(p);
    worker.kernels.backward(panel, x, task.signs(p));
    task.pivots().undo(structure.panel_begin[p], x.column_range(0, panel.columns));
    rows.scatter(panel.columns);
  }
  store_columns(task, task.node->first_column, task.node_rows(0, task.node->columns));
}

void substitute_tile(const BackwardTask& task, Worker& worker) {
  for (Index p = task.panel_end - 1; p >= task.panel_begin; --p) {
    const ConstMatrixView panel = task.panel(p);
    const Index begin = task.place(p);
    const Index top = std::max(task.row_begin, begin);
    const ConstMatrixView rows = panel.row_range(top - begin, task.row_end - top);
    const MatrixView y = task.node_rows(top, task.row_end);
    if (top == begin) {
      worker.kernels.backward(rows, y, task.signs(p));
      task.pivots().undo(task.first_column(p), y.column_range(0, panel.columns));
      store_columns(task, task.node->first_column + begin,
                    task.node_rows(begin, begin + panel.columns));
    } else {
      worker.kernels.multiply_transposed(rows, y, task.node_rows(begin, begin + panel.columns));
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

void StoreTask::run(TaskData data, Worker&) const {
  store_columns(*this, first_column, data[0].column_range(0, columns));
}

void LoadTask::run(TaskData data, Worker&) const {
  const MatrixView rows = data[0].column_range(0, columns);
  load_columns(*this, first_column, rows);
  context->signs.flip(first_column, rows);
}

}  // namespace espalier::internal
