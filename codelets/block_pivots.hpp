// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/dense.hpp"
#include "codelets/kernels.hpp"
#include "codelets/packed_pivots.hpp"
#include "codelets/reference/pivot_steps.hpp"
#include "espalier/types.hpp"

namespace espalier::internal {

/// The pivots that a factorization chooses inside its diagonal blocks, in the numbering of L: see
/// ChosenPivots. Different tasks write different columns. Without columns, no pivots are chosen.
struct BlockPivots {
  std::vector<Index> swap;         ///< counted from the first column of the panel
  std::vector<Rotation> rotation;  ///< one per column
  /// 1 for each column with an entry that weak_beyond() does not allow below its diagonal block.
  std::vector<std::uint8_t> weak;
  /// 1 for each column of a block with rows below it. Other blocks are the last of their tree.
  std::vector<std::uint8_t> inner;
  /// Columns from here on belong to blocks whose pivots come with the tiles; see packed_pivots.hpp.
  /// Other ranks may factor these blocks, or accelerators may use them.
  Index shared_begin = std::numeric_limits<Index>::max();
  /// Per first column of a block, whether a task has taken the signs, or the swaps and rotations,
  /// from a tile: see once().
  std::vector<std::uint8_t> known_signs;
  std::vector<std::uint8_t> known_swaps;

  /// 1 / u with the usual threshold u: a bound for the unit lower triangle.
  static constexpr double largest = 100;
  /// Entries of L J up to this magnitude are allowed, whatever their pivot is. The factors are
  /// those of A plus about machine_epsilon |L| |L|ᵀ (Higham, "Accuracy and stability of numerical
  /// algorithms", 2002, section 11.1), and the largest entries of A have a magnitude of about 1.
  static constexpr double harmless = 32;
  /// In blocks with rows below, pivots up to this magnitude are replaced by it. The largest entries
  /// of A have a magnitude of about 1.
  static constexpr double least = 1e-8;
  /// Such blocks may instead leave out the columns without a pivot above this magnitude. All other
  /// columns are then factored as if these came last. Solutions have zeros for their unknowns.
  bool leaves_out = false;
  static constexpr double least_kept = 1e-5;
  /// In the last block of a tree, pivots up to this magnitude are zero except for rounding errors.
  /// They become so large that their unknowns are zero in all solutions.
  static constexpr double least_of_last = 1e-14;
  static constexpr double instead_of_zero = 0x1p100;

  /// Returns the swaps and rotations that a factored block carries, as those of the first columns.
  static BlockPivots of(ConstMatrixView block) {
    const auto columns = static_cast<std::size_t>(block.columns);
    BlockPivots pivots;
    pivots.swap.resize(columns);
    pivots.rotation.resize(columns);
    pivots.weak.resize(columns);
    take_swaps(block, pivots.swap.data(), pivots.rotation.data());
    return pivots;
  }

  bool empty() const { return swap.empty(); }
  bool is_shared(Index column) const { return column >= shared_begin; }
  /// Forgets the marks of the last factorization, before the next one.
  void forget() {
    for (auto* const marks : {&weak, &known_signs, &known_swaps}) std::ranges::fill(*marks, 0);
  }
  /// Calls take() unless another task has called it for the same mark. If that task is not ready,
  /// waits for it.
  template <class Take>
  static void once(std::uint8_t& mark, Take take) {
    constexpr std::uint8_t under_way = 1;
    constexpr std::uint8_t ready = 2;
    std::atomic_ref<std::uint8_t> shared(mark);
    std::uint8_t seen = shared.load(std::memory_order_acquire);
    if (seen == 0 && shared.compare_exchange_strong(seen, under_way)) {
      take();
      shared.store(ready, std::memory_order_release);
      return shared.notify_all();
    }
    for (; seen != ready; seen = shared.load(std::memory_order_acquire)) shared.wait(under_way);
  }
  /// Takes the swaps and rotations of a factored block that may belong to another rank.
  void learn(Index first_column, ConstMatrixView block) {
    if (!is_shared(first_column)) return;
    once(known_swaps[first_column],
         [&] { take_swaps(block, &swap[first_column], &rotation[first_column]); });
  }
  /// Returns the bounds and outputs of the block that begins with `column`.
  ChosenPivots at(Index column, double* sign, std::uint8_t* replaced) {
    const bool has_rows = inner[column] != 0;
    return {.sign = sign,
            .swap = swap.data() + column,
            .rotation = rotation.data() + column,
            .least = !has_rows    ? least_of_last
                     : leaves_out ? least_kept
                                  : least,
            .replacement = has_rows && !leaves_out ? least : instead_of_zero,
            .replaced = replaced};
  }

  /// Multiplies rows of a panel by U of its block: B := B U. Since vectors of solves are stored by
  /// rows, this also sets a vector x of the panel's rows to Uᵀ x.
  void apply(Index first_column, MatrixView rows) const {
    if (empty()) return;
    const Rotation* const rotations = rotation.data() + first_column;
    for (Index k = 0; k < rows.columns; ++k) swap_columns(rows, k, swap[first_column + k]);
    for (Index k = 0; k + 1 < rows.columns; ++k) {
      if (rotations[k].sine != 0) rotate(rows, k, rotations[k]);
    }
  }
  /// Undoes apply(): sets a vector x of the panel's rows to U x.
  void undo(Index first_column, MatrixView rows) const {
    if (empty()) return;
    const Rotation* const rotations = rotation.data() + first_column;
    for (Index k = 0; k + 1 < rows.columns; ++k) {
      if (rotations[k].sine == 0) continue;
      rotate(rows, k, {rotations[k].cosine, -rotations[k].sine});
    }
    undo_swaps(first_column, rows);
  }
  /// Undoes the swaps of apply().
  void undo_swaps(Index first_column, MatrixView rows) const {
    if (empty()) return;
    for (Index k = rows.columns; k-- > 0;) swap_columns(rows, k, swap[first_column + k]);
  }
  /// Returns the bound for the entries of a column of L J, given its diagonal entry.
  static double weak_beyond(double diagonal) { return std::max(largest * diagonal, harmless); }
  /// Compares the rows Z below a block with the diagonal of L, and marks its weak columns. Several
  /// tasks may mark the same column.
  void mark_weak(Index first_column, ConstMatrixView l, ConstMatrixView z) {
    if (empty()) return;
    for (Index k = 0; k < z.columns; ++k) {
      if (exceeds(z.column(k), z.rows, weak_beyond(l(k, k)))) mark_weak(first_column + k);
    }
  }
  void mark_weak(Index column) {
    std::atomic_ref(weak[column]).store(1, std::memory_order_relaxed);
  }

 private:
  static void swap_columns(MatrixView a, Index j, Index k) {
    if (j != k) std::swap_ranges(a.column(j), a.column(j) + a.rows, a.column(k));
  }
  static void rotate(MatrixView a, Index k, Rotation by) {
    rotate_columns(a.column(k), a.column(k + 1), a.rows, by);
  }
  static bool exceeds(const double* values, Index count, double bound) {
    int found = 0;
    for (Index i = 0; i < count; ++i) found |= static_cast<int>(std::abs(values[i]) > bound);
    return found != 0;
  }
};

}  // namespace espalier::internal
