// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>

#include "espalier/types.hpp"

namespace espalier {

/// The share of one worker in a task that `size` workers run together, each on its own rows of
/// what the task writes.
struct Slice {
  Index rank = 0;
  Index size = 1;
};

struct RowRange {
  Index begin = 0;
  Index end = 0;
};

/// Rows are shared out in whole cache lines.
inline constexpr Index slice_unit = 8;

/// The rows of a slice, of `rows` in all, such that the slices have about as many entries each: row
/// i of the first `triangle` rows has i + 1 entries (the lower triangle on top of a trapezoid), the
/// others have `triangle`. Without a triangle all have the same number.
inline RowRange rows_of_slice(Slice slice, Index rows, Index triangle = 0) {
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

}  // namespace espalier
