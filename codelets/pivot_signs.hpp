// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "base/dense.hpp"
#include "codelets/block_pivots.hpp"
#include "codelets/kernels.hpp"
#include "espalier/types.hpp"

namespace espalier::internal {

/// The signs J of a factorization A = L J Lᵀ, in the numbering of L, with the regularization of A.
/// Without signs, the factorization is A = L Lᵀ.
///
/// Given signs are those of the pivots of a quasi-definite matrix, for which L exists in every
/// ordering. See Vanderbei, "Symmetric quasidefinite matrices", 1995, theorem 2.1. Otherwise the
/// factorization finds them: its diagonal blocks choose their pivots.
struct PivotSigns {
  std::vector<double> sign;  ///< 1 or -1 per column; empty: A = L Lᵀ
  double shift = 0;          ///< A + shift J is factored instead of A
  double least = 0;          ///< see SignedPivots
  double replacement = 0;    ///< see SignedPivots
  /// 1 for each column whose pivot was replaced in the last factorization, else 0. Different tasks
  /// write different columns.
  std::vector<std::uint8_t> replaced;
  BlockPivots chosen{};  ///< empty if the signs are given
  /// Whether all factored tiles carry their pivots, given or chosen, because accelerators may read
  /// the tiles: see packed_pivots.hpp.
  bool in_tiles = false;

  bool empty() const { return sign.empty(); }
  /// Returns whether the pivot of a column was zero except for rounding errors.
  bool is_null(Index column) const {
    return !chosen.empty() && replaced[column] != 0 && chosen.inner[column] == 0;
  }
  /// Returns the signs of the columns from `column` on.
  Signs at(Index column) const { return empty() ? nullptr : sign.data() + column; }
  /// Returns the signs of a panel that begins with `column`. If another rank may have factored its
  /// diagonal block, takes them from the first row of a tile of the panel.
  Signs learn(Index column, ConstMatrixView tile) {
    if (!chosen.empty() && chosen.is_shared(column)) {
      BlockPivots::once(chosen.known_signs[column], [&] { take_signs(tile, &sign[column]); });
    }
    return at(column);
  }
  /// Does the same, and takes all pivots of the panel from its factored diagonal block.
  void learn_pivots(Index column, ConstMatrixView block) {
    if (chosen.empty()) return;
    learn(column, block);
    chosen.learn(column, block);
  }
  /// Takes the results of F on an accelerator, one per column of the panel: the sign, twice if the
  /// column is weak.
  void take(Index column, std::span<const double> results) {
    if (chosen.empty()) return;
    const auto columns = static_cast<Index>(results.size());
    BlockPivots::once(chosen.known_signs[column], [&] {
      for (Index k = 0; k < columns; ++k) sign[column + k] = std::copysign(1.0, results[k]);
    });
    for (Index k = 0; k < columns; ++k) {
      if (std::abs(results[k]) > 1) chosen.mark_weak(column + k);
    }
  }
  /// Puts the signs of a panel into the first row of one of its tiles, for other ranks and for
  /// accelerators.
  void tell(Index column, MatrixView tile) const {
    if (in_tiles || (!chosen.empty() && chosen.is_shared(column))) put_signs(tile, at(column));
  }

  /// Factors a diagonal block that begins with `column`, as L J Lᵀ if there are signs, else as L
  /// Lᵀ.
  PivotReport factor(const Kernels& kernels, Index column, MatrixView block,
                     std::span<double> buffer) {
    if (empty()) return kernels.potrf(block);
    if (!chosen.empty()) return choose(kernels, column, block, buffer);
    const PivotReport report =
        kernels.signed_potrf(block, {at(column), least, replacement, replaced.data() + column});
    if (report.ok() && in_tiles) pack_signs(block, at(column));
    return report;
  }
  /// Adds the shift to the diagonal entries in rows [row_begin, row_begin + rows of the view) of
  /// the panel that begins with `column`.
  void add_shift(Index column, Index row_begin, MatrixView panel) const {
    if (shift == 0) return;
    const Index end = row_begin + panel.rows;
    for (Index c = row_begin; c < panel.columns && c < end; ++c) {
      panel(c - row_begin, c) += shift * sign[column + c];
    }
  }
  /// Multiplies the rows of vectors that belong to the columns from `column` on by their signs.
  void flip(Index column, MatrixView rows) const {
    if (empty()) return;
    for (Index i = 0; i < rows.columns; ++i) {
      for (Index r = 0; r < rows.rows; ++r) rows(r, i) *= sign[column + i];
    }
  }

 private:
  PivotReport choose(const Kernels& kernels, Index column, MatrixView block,
                     std::span<double> buffer) {
    const ChosenPivots pivots = chosen.at(column, sign.data() + column, replaced.data() + column);
    const PivotReport report = kernels.pivoted_potrf(block, pivots, buffer);
    if (report.ok() && chosen.is_shared(column)) {
      pack_pivots(block, pivots);
      learn_pivots(column, block);  // the rotations get the bits that all ranks read
    }
    return report;
  }
};

}  // namespace espalier::internal
