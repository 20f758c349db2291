// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <span>

#include "base/panel_structure.hpp"
#include "codelets/context.hpp"
#include "codelets/kernels.hpp"
#include "espalier/types.hpp"

namespace espalier {

/// Whether an ascending list holds consecutive numbers.
inline bool contiguous(std::span<const Index> list) {
  return list.empty() || list.back() - list.front() == static_cast<Index>(list.size()) - 1;
}

/// Positions of the members of `subset` in `list`, both ascending and the one contained in the
/// other. Cost O(length of the part of the list that is walked).
inline void merge_positions(std::span<const Index> subset, std::span<const Index> list,
                            Index* position) {
  Index at = 0;
  for (std::size_t i = 0; i < subset.size(); ++i) {
    while (list[at] != subset[i]) ++at;
    position[i] = at;
  }
}

/// Some rows of an update: target -= A Bᵀ, where rows of A reach across the first `whole` columns
/// of the product, and beyond those only the lower trapezoid is meant. The rows of B after the
/// first `whole` are the first rows of A, or the other way round where A has less.
inline void update_rows(const Kernels& kernels, ConstMatrixView a, ConstMatrixView b, Index whole,
                        ScatterTarget target, std::span<double> buffer) {
  if (whole > 0) kernels.update(a, b.row_range(0, whole), false, target, buffer);
  const Index corner = std::min(b.rows - whole, a.rows);
  if (corner == 0) return;
  if (target.column != nullptr) {
    target.column += whole;
  } else {
    target.data += whole * target.ld;
  }
  kernels.update(a, b.row_range(whole, corner), true, target, buffer);
}

/// A panel of L, or some of its rows, that takes updates from whole panels, one at a time.
class UpdateTarget {
 public:
  /// Row i of `target` is row rows[i] of L, and its first column is column `first_column` of L. The
  /// rows may lack some of the columns, as those of a contribution do.
  /// Cost O(rows).
  UpdateTarget(std::span<const Index> rows, Index first_column, MatrixView target, Worker& worker);

  /// Subtracts what the source panel contributes to these rows, target -= B(rows) B(columns)ᵀ:
  /// `source_rows` are the rows of L of `source`, [begin, end) those that face the target's panel.
  void subtract(ConstMatrixView source, std::span<const Index> source_rows, Index begin, Index end);

 private:
  struct Map {
    Index first;         ///< position of the first row
    const Index* after;  ///< positions after that, or null where they are consecutive
  };
  Map rows_of(std::span<const Index> rows, Index* map) const;
  const Index* columns_of(std::span<const Index> columns, Index common, const Map& row) const;

  std::span<const Index> rows_;
  Index first_column_;
  MatrixView target_;
  Worker& worker_;
};

}  // namespace espalier
