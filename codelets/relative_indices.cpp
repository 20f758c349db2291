// SPDX-License-Identifier: BSD-3-Clause

#include "codelets/relative_indices.hpp"

#include <algorithm>

namespace espalier {

UpdateTarget::UpdateTarget(std::span<const Index> rows, Index first_column, MatrixView target,
                           Worker& worker)
    : rows_(rows), first_column_(first_column), target_(target), worker_(worker) {
  Index* const position = worker_.workspace.position.data();
  for (std::size_t i = 0; i < rows.size(); ++i) position[rows[i]] = static_cast<Index>(i);
}

UpdateTarget::Map UpdateTarget::rows_of(std::span<const Index> rows, Index* map) const {
  const Index* const position = worker_.workspace.position.data();
  const Index first = position[rows.front()];
  if (position[rows.back()] - first == static_cast<Index>(rows.size()) - 1) return {first, nullptr};
  for (std::size_t i = 0; i < rows.size(); ++i) map[i] = position[rows[i]] - first;
  return {first, map};
}

/// Null where they are consecutive. Columns that the rows begin with have the row map for theirs,
/// where the target has all rows between them.
const Index* UpdateTarget::columns_of(std::span<const Index> columns, Index common,
                                      const Map& row) const {
  if (contiguous(columns)) return nullptr;
  const bool alike = common > 0 && row.after != nullptr &&
                     row.after[common - 1] == columns[common - 1] - columns.front();
  if (alike) return row.after;
  Index* const map = worker_.workspace.column_map.data();
  for (std::size_t j = 0; j < columns.size(); ++j) map[j] = columns[j] - columns.front();
  return map;
}

void UpdateTarget::subtract(ConstMatrixView source, std::span<const Index> source_rows, Index begin,
                            Index end) {
  auto from = source_rows.begin() + begin;
  auto to = source_rows.end();
  if (*from < rows_.front()) from = std::lower_bound(from, to, rows_.front());
  if (source_rows.back() > rows_.back()) to = std::upper_bound(from, to, rows_.back());
  if (from == to) return;
  const auto first = static_cast<Index>(from - source_rows.begin());
  const auto rows = static_cast<Index>(to - from);
  const auto columns = source_rows.subspan(begin, end - begin);
  const Index whole = std::min(first, end) - begin;
  Index* const map = worker_.workspace.row_map.data();
  const Map row = rows_of({from, to}, map);
  const Index* const column =
      columns_of(columns, whole == 0 ? std::min(end - begin, rows) : 0, row);
  const ScatterTarget place{&target_(row.first, columns.front() - first_column_), target_.ld,
                            row.after, column};
  update_rows(worker_.kernels, source.row_range(first, rows), source.row_range(begin, end - begin),
              whole, place, worker_.workspace.buffer.span());
}

}  // namespace espalier
