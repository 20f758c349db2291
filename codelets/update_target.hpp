// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "base/panel_structure.hpp"
#include "codelets/context.hpp"

namespace espalier {

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
