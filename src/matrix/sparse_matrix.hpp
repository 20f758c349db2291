// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "espalier/types.hpp"

namespace espalier::internal {

/// A renumbering of 0..n-1, kept with its inverse: new number of old i is new_of[i], and
/// old_of[new_of[i]] == i.
struct Permutation {
  std::vector<Index> new_of;
  std::vector<Index> old_of;

  Index size() const { return static_cast<Index>(old_of.size()); }

  static Permutation identity(Index n);
  /// Takes the list of old numbers in their new order. Throws InputError unless it holds 0..n-1
  /// once each.
  static Permutation from_old_of(std::vector<Index> old_of);
};

/// The renumbering `first`, then `second` applied to its result. Both of the same size, else
/// UsageError.
Permutation compose(const Permutation& first, const Permutation& second);

/// Throws InputError at the first i that breaks old_of[new_of[i]] == i.
void check(const Permutation& permutation);

/// The pattern of the lower triangle of a symmetric n-by-n matrix in compressed columns: the rows
/// of column j are row[column_begin[j] .. column_begin[j+1]), strictly ascending, the diagonal
/// first.
struct LowerPattern {
  Index n = 0;
  std::vector<Count> column_begin{0};  ///< n + 1 offsets
  std::vector<Index> row;

  Count entries() const { return column_begin.back(); }
  std::span<const Index> column(Index j) const {
    return {row.data() + column_begin[j], row.data() + column_begin[j + 1]};
  }
};

/// Such a pattern in arrays that others own: a LowerPattern, or an application. Cheap to make and
/// to copy.
struct PatternView {
  Index n = 0;
  std::span<const Count> column_begin;
  std::span<const Index> row;

  PatternView() = default;
  PatternView(Index order, std::span<const Count> begin, std::span<const Index> rows)
      : n(order), column_begin(begin), row(rows) {}
  PatternView(const LowerPattern& p)  // NOLINT: implicit
      : n(p.n), column_begin(p.column_begin), row(p.row) {}

  Count entries() const { return column_begin.back(); }
  std::span<const Index> column(Index j) const {
    return row.subspan(static_cast<std::size_t>(column_begin[j]),
                       static_cast<std::size_t>(column_begin[j + 1] - column_begin[j]));
  }
};

/// A symmetric matrix by its lower triangle: value[k] belongs to pattern.row[k].
struct SparseMatrix {
  LowerPattern pattern;
  std::vector<double> value;
};

/// A matrix whose pattern and values may belong to different owners. Cheap to make and to copy.
struct SparseMatrixView {
  PatternView pattern;
  std::span<const double> value;

  SparseMatrixView(const PatternView& p, std::span<const double> v) : pattern(p), value(v) {}
  SparseMatrixView(const SparseMatrix& a)
      : pattern(a.pattern), value(a.value) {}  // NOLINT: implicit
};

/// Throws InputError unless the offsets of the columns ascend from 0 to the number of rows.
void check_offsets(const PatternView& pattern);

/// Throws InputError naming the first broken invariant: offsets that do not ascend, a row outside
/// its triangle or not ascending, a missing diagonal. Cost O(nnz).
void check(const PatternView& pattern);

/// Throws InputError unless there are as many values as entries.
void expect_a_value_an_entry(const SparseMatrixView& matrix);

/// Checks that there is one finite value an entry of a pattern that is sound.
void check_values(const SparseMatrixView& matrix);

/// Throws InputError for a value that is not finite, whose row and column are counted from `base`.
[[noreturn]] void refuse_value(Index row, Index column, Index base);

/// Checks both.
void check(const SparseMatrixView& matrix);

// Vectors are the columns of an n-by-count array stored by columns; a span whose length is not
// n * count is a UsageError. A is symmetric, given by its lower triangle.

/// Computes y = A x. Cost: one pass over A for four vectors.
void multiply(const SparseMatrixView& a, std::span<const double> x, std::span<double> y,
              Index count = 1);

/// Computes r = b - A x in double precision. r may be b itself.
void residual(const SparseMatrixView& a, std::span<const double> x, std::span<const double> b,
              std::span<double> r, Index count = 1);

/// The largest absolute value, 0 for no values, NaN where one is NaN.
double max_abs(std::span<const double> values);

/// The largest row sum of absolute values of A.
double norm_inf(const SparseMatrixView& a);

/// max|r| / (norm_a max|x| + max|b|) for one vector with its residual r = b - A x; 0 where r is 0.
/// NaN or infinity wherever a number involved is not finite, never a small number; the product of
/// finite ones may overflow.
double backward_error(double norm_a, std::span<const double> x, std::span<const double> b,
                      std::span<const double> r);

/// Returns the bytes of a matrix with values, and of what a program takes besides until it has one.
Count bytes_of_matrix(Index n, Count entries);

/// Returns the larger one. std::max drops a NaN in one of its arguments; this keeps it.
double max_or_nan(double a, double b);

/// Computes r = b - A x, and returns the worst backward error among the `count` right-hand sides;
/// norm_a is norm_inf(a).
double residual_error(const SparseMatrixView& a, double norm_a, std::span<const double> x,
                      std::span<const double> b, std::span<double> r, Index count = 1);

/// Returns the same without r, in memory for the residuals of a few right-hand sides.
double residual_error(const SparseMatrixView& a, double norm_a, std::span<const double> x,
                      std::span<const double> b, Index count);

}  // namespace espalier::internal
