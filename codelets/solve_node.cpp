// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/solve_node.hpp"

#include <algorithm>

#include "codelets/index_map.hpp"

namespace espalier {

ConstMatrixView SolveArguments::panel(Index p) const {
  const PanelStructure& structure = *context->structure;
  const Index height = structure.height(p);
  return {values + structure.value_begin[p], height, structure.width(p), height};
}

void SolveArguments::prefetch(Index p) const {
  if (vectors->count == 1) return;
  constexpr Count line = 8;
  constexpr Count most = Count{1} << 10;
  const Count begin = context->structure->value_begin[p];
  const Count end = std::min(context->structure->value_begin[p + 1], begin + most);
  for (Count at = begin; at < end; at += line) __builtin_prefetch(values + at);
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

/// Calls move(place in the front, place among the rows) for each row, the first `inside` of them
/// columns of the node.
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
  if (in_place_) return node_.front.column_range(own, height);
  const Index count = node_.front.rows;
  const double* const front = node_.front.data;
  double* const to = gathered_;
  if (count == 1) {
    for_each_row(rows_, node_.first_column, inside_, position_,
                 [=](Index place, Index i) { to[i] = front[place]; });
  } else {
    for_each_row(rows_, node_.first_column, inside_, position_, [=](Index place, Index i) {
      copy(front + static_cast<Count>(place) * count, to + static_cast<Count>(i) * count, count);
    });
  }
  return {gathered_, count, height, count};
}

void SubtreeRows::scatter(Index rows) const {
  if (in_place_) return;
  const Index count = node_.front.rows;
  double* const front = node_.front.data;
  const double* const from = gathered_;
  const auto part = rows_.first(rows);
  const Index inside = std::min(inside_, rows);
  if (count == 1) {
    for_each_row(part, node_.first_column, inside, position_,
                 [=](Index place, Index i) { front[place] = from[i]; });
  } else {
    for_each_row(part, node_.first_column, inside, position_, [=](Index place, Index i) {
      copy(from + static_cast<Count>(i) * count, front + static_cast<Count>(place) * count, count);
    });
  }
}

}  // namespace espalier
