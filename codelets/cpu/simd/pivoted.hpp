// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "codelets/cpu/simd/update.hpp"
#include "codelets/reference/pivot_steps.hpp"

namespace espalier::internal::simd {
namespace {

/// Returns the largest magnitude of the values [begin, end). NaN counts as nothing.
template <class Isa>
double largest_magnitude(const double* values, Index begin, Index end) {
  typename Isa::Vector most = Isa::zero();
  for (; begin + Isa::width <= end; begin += Isa::width) {
    most = Isa::larger_magnitude(Isa::load(values + begin), most);
  }
  if (begin < end) most = Isa::larger_magnitude(Isa::load(values + begin, end - begin), most);
  double part[Isa::width];
  Isa::store(part, most);
  for (Index half = Isa::width / 2; half > 0; half /= 2) {
    for (Index i = 0; i < half; ++i) part[i] = std::max(part[i], part[i + half]);
  }
  return part[0];
}

/// Factors Uᵀ A U = L J Lᵀ by the bounded pivoting of Ashcraft, Grimes and Lewis, "Accurate
/// symmetric indefinite linear equation solvers", 1998, algorithm 2.2 (rook pivoting). Columns are
/// brought up to date one by one, as far as the search looks at them. After each `block` columns,
/// one update with these columns serves all columns behind them.
template <class Isa>
class PivotedBlock {
 public:
  PivotedBlock(MatrixView a, const ChosenPivots& pivots, std::span<double> buffer)
      : a_(a),
        pivots_(pivots),
        current_(buffer.data()),
        other_(current_ + a.columns),
        buffer_(buffer.subspan(2 * static_cast<std::size_t>(a.columns))) {}

  PivotReport factor() {
    for (Index k = 0; k < a_.columns;) {
      if (k - begin_ >= block) update_from(k);
      pivots_.replaced[k] = 0;
      const Index columns = eliminate(k);
      if (columns == 0) return {k};
      k += columns;
    }
    return {};
  }

 private:
  using Vector = typename Isa::Vector;
  static constexpr Index block = 32;

  /// Subtracts the products of the columns since the last update from all columns from k on.
  void update_from(Index k) {
    const Index rest = a_.columns - k;
    const ConstMatrixView left{&a_(k, begin_), rest, k - begin_, a_.ld};
    update<Isa>({left, left, true, {&a_(k, k), a_.ld}, buffer_, pivots_.sign + begin_});
    begin_ = k;
  }

  /// Sets rows [k, n) of `to` to column `column` of the matrix that is left after k pivots. The
  /// last vector may overwrite rows above k, which nothing reads.
  void load(Index k, Index column, double* to) const {
    for (Index j = k; j < column; ++j) to[j] = a_(column, j);
    std::copy(a_.column(column) + column, a_.column(column) + a_.columns, to + column);
    constexpr Index group = 4 * Isa::width;
    Index end = a_.columns;
    for (; end - k >= group; end -= group) subtract<4>(k, column, end - group, to);
    for (; end > k && end >= Isa::width; end -= Isa::width) {
      subtract<1>(k, column, end - Isa::width, to);
    }
    for (Index i = k; i < end; ++i) {
      for (Index p = begin_; p < k; ++p) to[i] -= a_(i, p) * (pivots_.sign[p] * a_(column, p));
    }
  }

  /// Subtracts the products of the columns since the last update from `vectors` vectors of rows.
  template <Index vectors>
  void subtract(Index k, Index column, Index row, double* to) const {
    Vector sum[vectors];
    each<vectors>([&](auto v) { sum[v] = Isa::load(to + row + v * Isa::width); });
    for (Index p = begin_; p < k; ++p) {
      const double* const from = &a_(row, p);
      const Vector factor = Isa::broadcast(pivots_.sign[p] * a_(column, p));
      each<vectors>([&](auto v) {
        sum[v] = Isa::subtract_product(sum[v], Isa::load(from + v * Isa::width), factor);
      });
    }
    each<vectors>([&](auto v) { Isa::store(to + row + v * Isa::width, sum[v]); });
  }

  /// Returns the largest magnitude in rows [k, n) of a column of the matrix that is left, beside
  /// its diagonal.
  double largest_beside(Index k, Index column, const double* values) const {
    const double below = largest_magnitude<Isa>(values, column + 1, a_.columns);
    return column == k ? below : std::max(below, largest_magnitude<Isa>(values, k, column));
  }

  /// Returns the first row in [k, n), other than `column`, with a magnitude.
  Index row_of(double magnitude, Index k, Index column, const double* values) const {
    Index row = k;
    while (row == column || std::abs(values[row]) != magnitude) ++row;
    return row;
  }

  /// Eliminates one or two columns and returns their number, or 0 if a pivot is not finite.
  Index eliminate(Index k) {
    load(k, k, current_);
    const double own = std::abs(current_[k]);
    const double largest = largest_beside(k, k, current_);
    if (!std::isfinite(own) || !std::isfinite(largest)) return 0;
    if (std::max(own, largest) <= pivots_.least) {
      pivots_.replaced[k] = 1;
      current_[k] = std::copysign(pivots_.replacement, current_[k]);
      return eliminate_one(k, k);
    }
    if (own >= pivot_ratio * largest) return eliminate_one(k, k);
    return search(k, largest);
  }

  /// Searches a pivot, if the largest entry beside the diagonal of column k, which is in current_,
  /// is too large. Eliminates columns like eliminate().
  Index search(Index k, double largest) {
    Index before = k;
    Index next = row_of(largest, k, k, current_);
    for (;;) {
      load(k, next, other_);
      const double pivot = std::abs(other_[next]);
      const double found = largest_beside(k, next, other_);
      if (!std::isfinite(pivot) || !std::isfinite(found)) return 0;
      if (pivot >= pivot_ratio * found) {
        std::swap(current_, other_);
        return eliminate_one(k, next);
      }
      const Index beside = row_of(found, k, next, other_);
      if (beside == before || found <= largest) return eliminate_two(k, before, next);
      std::swap(current_, other_);
      before = std::exchange(next, beside);
      largest = found;
    }
  }

  void swap(Index k, Index row) {
    pivots_.swap[k] = row;
    swap_symmetric(a_, k, row);
  }

  /// Makes row `row`, whose column is in current_, the pivot k.
  Index eliminate_one(Index k, Index row) {
    pivots_.rotation[k] = {};
    swap(k, row);
    exchange(current_[k], current_[row]);
    store_pivot_column(a_, k, current_[k], current_, pivots_.sign[k]);
    return 1;
  }

  /// Makes rows `first` and `second`, whose columns are in current_ and other_, the pivots k and
  /// k + 1.
  Index eliminate_two(Index k, Index first, Index second) {
    swap(k, first);
    swap(k + 1, second);
    for (double* const column : {current_, other_}) {
      exchange(column[k], column[first]);
      exchange(column[k + 1], column[second]);
    }
    const auto [rotation, above, below] = diagonalized(current_[k], other_[k], other_[k + 1]);
    pivots_.rotation[k] = rotation;
    pivots_.rotation[k + 1] = {};
    pivots_.replaced[k + 1] = 0;
    rotate_rows(a_, k, k, rotation);
    rotate_columns(current_ + k + 2, other_ + k + 2, a_.columns - k - 2, rotation);
    current_[k + 1] = 0;
    store_pivot_column(a_, k, above, current_, pivots_.sign[k]);
    store_pivot_column(a_, k + 1, below, other_, pivots_.sign[k + 1]);
    return 2;
  }

  MatrixView a_;
  const ChosenPivots& pivots_;
  double* current_;  ///< a column of the matrix that is left, by rows of A
  double* other_;    ///< another column
  std::span<double> buffer_;
  Index begin_ = 0;  ///< first column that has not updated the columns behind it
};

template <class Isa>
PivotReport pivoted_potrf(MatrixView a, const ChosenPivots& pivots,
                          std::span<double> buffer) noexcept {
  return PivotedBlock<Isa>(a, pivots, buffer).factor();
}

}  // namespace
}  // namespace espalier::internal::simd
