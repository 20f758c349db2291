// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "espalier/types.hpp"

namespace espalier::internal {

/// Renumbering of 0..n-1 with its inverse: new_of[i] is the new number of old i, and
/// old_of[new_of[i]] == i.
struct Permutation {
  std::vector<Index> new_of;
  std::vector<Index> old_of;

  Index size() const { return static_cast<Index>(old_of.size()); }

  static Permutation identity(Index n);
  /// Makes a permutation from the old numbers in their new order. Throws InputError unless they are
  /// 0..n-1, each once.
  static Permutation from_old_of(std::vector<Index> old_of);
};

/// Returns the renumbering `first` followed by `second`. Throws UsageError if their sizes differ.
Permutation compose(const Permutation& first, const Permutation& second);

/// Throws InputError for the first i with old_of[new_of[i]] != i.
void check(const Permutation& permutation);

/// Pattern of the lower triangle of a symmetric n-by-n matrix in compressed columns. The rows of
/// column j are row[column_begin[j] .. column_begin[j+1]), strictly ascending, the diagonal first.
struct LowerPattern {
  Index n = 0;
  std::vector<Count> column_begin{0};  ///< n + 1 offsets
  std::vector<Index> row;

  Count entries() const { return column_begin.back(); }
  std::span<const Index> column(Index j) const {
    return {row.data() + column_begin[j], row.data() + column_begin[j + 1]};
  }
};

/// View of such a pattern in arrays of another owner: a LowerPattern or an application. It is cheap
/// to make and to copy.
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

/// Symmetric matrix, stored as its lower triangle: value[k] belongs to pattern.row[k].
struct SparseMatrix {
  LowerPattern pattern;
  std::vector<double> value;
};

/// View of a matrix whose pattern and values may have different owners. It is cheap to make and to
/// copy.
struct SparseMatrixView {
  PatternView pattern;
  std::span<const double> value;

  SparseMatrixView(const PatternView& p, std::span<const double> v) : pattern(p), value(v) {}
  SparseMatrixView(const SparseMatrix& a)
      : pattern(a.pattern), value(a.value) {}  // NOLINT: implicit
};

/// Throws InputError unless there are n + 1 column offsets that ascend from 0 to the number of
/// entries in `row`.
void check_offsets(const PatternView& pattern);

/// Throws InputError with the first broken invariant: descending offsets, a row outside its
/// triangle or not ascending, or a missing diagonal entry. Cost O(nnz).
void check(const PatternView& pattern);

/// Throws InputError unless there is one value per entry.
void expect_a_value_an_entry(const SparseMatrixView& matrix);

/// Throws InputError unless there is one finite value per entry. The pattern must be sound.
void check_values(const SparseMatrixView& matrix);

/// Throws InputError for a value that is not finite. The message counts row and column from `base`.
[[noreturn]] void refuse_value(Index row, Index column, Index base);

/// Checks the pattern and the values.
void check(const SparseMatrixView& matrix);

// Vectors are the columns of an n-by-count array, which is stored by columns. multiply() and
// residual() throw UsageError if the length of a span is not n * count. A is symmetric, given by
// its lower triangle.

/// Computes y = A x. Cost: one pass over A per four vectors, and one for each vector left over.
void multiply(const SparseMatrixView& a, std::span<const double> x, std::span<double> y,
              Index count = 1);

/// Computes r = b - A x in double precision. r may be b itself.
void residual(const SparseMatrixView& a, std::span<const double> x, std::span<const double> b,
              std::span<double> r, Index count = 1);

/// Returns the largest absolute value; 0 for an empty span, NaN if a value is NaN.
double max_abs(std::span<const double> values);

/// Returns the largest row sum of absolute values of A.
double norm_inf(const SparseMatrixView& a);

/// Returns max|r| / (norm_a max|x| + max|b|) for one vector with its residual r = b - A x; 0 if r
/// is 0. Returns NaN or infinity, never a small number, if x, b or r is not finite. norm_a and
/// products may overflow without harm: an infinite norm_a counts as the largest double.
double backward_error(double norm_a, std::span<const double> x, std::span<const double> b,
                      std::span<const double> r);

/// Returns the bytes of a matrix with values, plus the memory that StarPU needs, because StarPU
/// starts while the matrix is made.
Count bytes_of_matrix(Index n, Count entries);

/// Returns the larger argument, or NaN if one is NaN. std::max may drop a NaN.
double max_or_nan(double a, double b);

/// Computes r = b - A x, and returns the largest backward error of the `count` right-hand sides.
/// norm_a is norm_inf(a).
double residual_error(const SparseMatrixView& a, double norm_a, std::span<const double> x,
                      std::span<const double> b, std::span<double> r, Index count = 1);

/// Returns the largest backward error without storing r. Uses memory only for the residuals of a
/// few right-hand sides.
double residual_error(const SparseMatrixView& a, double norm_a, std::span<const double> x,
                      std::span<const double> b, Index count);

}  // namespace espalier::internal
