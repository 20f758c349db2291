// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/context.hpp"

#include <algorithm>
#include <cmath>

namespace espalier::internal {

RowRange rows_of_slice(Slice slice, Index rows, Index triangle) {
  const double corner = triangle * (triangle + 1.0) / 2;
  const double entries = triangle == 0 ? rows
                         : rows < triangle
                             ? rows * (rows + 1.0) / 2
                             : corner + static_cast<double>(rows - triangle) * triangle;
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

}  // namespace espalier::internal
