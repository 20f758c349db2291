// SPDX-License-Identifier: BSD-3-Clause

#include "codelets/relative_indices.hpp"

#include <algorithm>

namespace espalier::internal {

UpdateTarget::UpdateTarget(std::span<const Index> rows, Index first_column, Workspace& workspace)
    : rows_(rows), first_column_(first_column), workspace_(workspace) {
  Index* const position = workspace_.position.data();
  for (std::size_t i = 0; i < rows.size(); ++i) position[rows[i]] = static_cast<Index>(i);
}

Product UpdateTarget::product(std::span<const Index> source_rows, Index begin, Index end) const {
  auto from = source_rows.begin() + begin;
  auto to = source_rows.end();
  if (*from < rows_.front()) from = std::lower_bound(from, to, rows_.front());
  if (source_rows.back() > rows_.back()) to = std::upper_bound(from, to, rows_.back());
  if (from == to) return {};
  const std::span<const Index> rows(from, to);
  const auto columns = source_rows.subspan(begin, end - begin);
  const auto first = static_cast<Index>(from - source_rows.begin());
  const Index* const position = workspace_.position.data();
  Product product{static_cast<Index>(rows.size()), end - begin, first, begin};
  product.whole = std::min(first, end) - begin;
  product.target_row = position[rows.front()];
  product.target_column = columns.front() - first_column_;
  if (position[rows.back()] - product.target_row != product.rows - 1) {
    Index* const map = workspace_.row_map.data();
    for (std::size_t i = 0; i < rows.size(); ++i) map[i] = position[rows[i]] - product.target_row;
    product.row = {map, rows.size()};
  }
  // The columns are the first rows. They can share the map of the rows if the target has all rows
  // between them.
  const bool alike = product.whole == 0 && columns.size() <= product.row.size() &&
                     product.row[columns.size() - 1] == columns.back() - columns.front();
  if (alike && !contiguous(columns)) {
    product.column = product.row.first(columns.size());
  } else {
    product.column = positions_of_columns(columns, workspace_.column_map.data());
  }
  return product;
}

}  // namespace espalier::internal
