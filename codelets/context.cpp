// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/context.hpp"

#include <algorithm>
#include <cmath>

namespace espalier::internal {

namespace {

/// Returns the number of entries of the first `rows` rows. Without a triangle, a row counts as one
/// entry.
double entries_of_rows(double rows, Index triangle) {
  if (triangle == 0) return rows;
  if (rows < triangle) return rows * (rows + 1) / 2;
  return triangle * (triangle + 1.0) / 2 + (rows - triangle) * triangle;
}

}  // namespace

RowRange rows_of_slice(Slice slice, Index rows, Index triangle) {
  const double corner = entries_of_rows(triangle, triangle);
  const double entries = entries_of_rows(rows, triangle);
  const auto cut = [&](Index rank) {
    if (rank == slice.size) return rows;
    const double before = entries * rank / slice.size;
    double row = before;
    if (triangle > 0) {
      row = before < corner ? std::sqrt(2 * before) : triangle + (before - corner) / triangle;
    }
    const auto units = static_cast<Index>(std::lround(row / slice_unit));
    return std::min(units * slice_unit, rows);
  };
  return {cut(slice.rank), cut(slice.rank + 1)};
}

double share_of_slice(Slice slice, Index rows, Index triangle) {
  if (rows == 0) return slice.rank == 0 ? 1 : 0;
  const RowRange own = rows_of_slice(slice, rows, triangle);
  return (entries_of_rows(own.end, triangle) - entries_of_rows(own.begin, triangle)) /
         entries_of_rows(rows, triangle);
}

}  // namespace espalier::internal
