// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <array>
#include <cmath>

#include "codelets/reference/kernels.hpp"
#include "codelets/reference/pivot_steps.hpp"

namespace espalier::internal::reference {

namespace {

/// The largest entries that are left, by magnitude.
struct Largest {
  Index diagonal;     ///< its row
  Index row;          ///< of the largest entry beside the diagonal
  Index column;       ///< of the largest entry beside the diagonal
  double on = 0;      ///< magnitude on the diagonal
  double beside = 0;  ///< magnitude beside the diagonal
  bool finite = true;
};

Largest largest_from(ConstMatrixView a, Index k) {
  Largest found{k, k, k};
  for (Index j = k; j < a.columns; ++j) {
    for (Index i = j; i < a.columns; ++i) {
      const double size = std::abs(a(i, j));
      if (!std::isfinite(size)) found.finite = false;
      if (i == j && size > found.on) {
        found.on = size;
        found.diagonal = i;
      } else if (i != j && size > found.beside) {
        found.beside = size;
        found.row = i;
        found.column = j;
      }
    }
  }
  return found;
}

/// Subtracts the product of a finished column of L from the columns behind it.
void subtract(MatrixView a, Index k, double sign) {
  for (Index j = k + 1; j < a.columns; ++j) {
    for (Index i = j; i < a.columns; ++i) a(i, j) -= sign * a(i, k) * a(j, k);
  }
}

void eliminate_one(MatrixView a, Index k, const ChosenPivots& pivots) {
  store_pivot_column(a, k, a(k, k), a.column(k), pivots.sign[k]);
  subtract(a, k, pivots.sign[k]);
}

/// Makes the pivot of order two diagonal, and eliminates its two columns.
void eliminate_two(MatrixView a, Index k, const ChosenPivots& pivots) {
  const auto [rotation, first, second] = diagonalized(a(k, k), a(k + 1, k), a(k + 1, k + 1));
  pivots.rotation[k] = rotation;
  rotate_rows(a, k, k, rotation);
  rotate_columns(a.column(k) + k + 2, a.column(k + 1) + k + 2, a.columns - k - 2, rotation);
  a(k, k) = first;
  a(k + 1, k) = 0;
  a(k + 1, k + 1) = second;
  eliminate_one(a, k, pivots);
  eliminate_one(a, k + 1, pivots);
}

}  // namespace

/// Searches all entries that are left for each pivot (Bunch and Parlett, "Direct methods for
/// solving symmetric indefinite systems of linear equations", 1971).
PivotReport pivoted_potrf(MatrixView a, const ChosenPivots& pivots,
                          std::span<double> /*buffer*/) noexcept {
  for (Index k = 0; k < a.columns; ++k) {
    pivots.swap[k] = k;
    pivots.rotation[k] = {};
    pivots.replaced[k] = 0;
    const Largest largest = largest_from(a, k);
    if (!largest.finite) return {k};
    if (std::max(largest.on, largest.beside) <= pivots.least) {
      pivots.replaced[k] = 1;
      a(k, k) = std::copysign(pivots.replacement, a(k, k));
      eliminate_one(a, k, pivots);
    } else if (largest.on >= pivot_ratio * largest.beside) {
      pivots.swap[k] = largest.diagonal;
      swap_symmetric(a, k, largest.diagonal);
      eliminate_one(a, k, pivots);
    } else {
      pivots.swap[k] = largest.column;
      pivots.swap[k + 1] = largest.row;
      pivots.rotation[k + 1] = {};
      pivots.replaced[k + 1] = 0;
      swap_symmetric(a, k, largest.column);
      swap_symmetric(a, k + 1, largest.row);
      eliminate_two(a, k, pivots);
      ++k;
    }
  }
  return {};
}

}  // namespace espalier::internal::reference
