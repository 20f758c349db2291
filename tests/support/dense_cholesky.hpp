// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "base/dense.hpp"
#include "matrix/sparse_matrix.hpp"

namespace espalier::internal::support {

/// A dense square matrix by columns. Sparse factorizations are compared with it.
class DenseMatrix {
 public:
  explicit DenseMatrix(Index n) : n_(n), value_(static_cast<std::size_t>(n) * n, 0.0) {}

  Index order() const { return n_; }
  double& operator()(Index i, Index j) { return value_[i + static_cast<std::size_t>(j) * n_]; }
  double operator()(Index i, Index j) const { return value_[i + static_cast<std::size_t>(j) * n_]; }
  MatrixView view() { return {value_.data(), n_, n_, n_}; }
  ConstMatrixView view() const { return {value_.data(), n_, n_, n_}; }

 private:
  Index n_;
  std::vector<double> value_;
};

/// Returns P A Pᵀ: entry (new i, new j) is a(i, j).
DenseMatrix permuted(const SparseMatrixView& a, const Permutation& permutation);

/// Returns the factor L, zero above its diagonal, of a positive definite A. Uses textbook loops
/// over columns, without blocks and libraries. Throws std::domain_error if a pivot is not positive.
DenseMatrix dense_cholesky(DenseMatrix a);

/// Returns the first column whose pivot is not positive, or -1.
Index first_bad_pivot(DenseMatrix a);

/// Returns x with L x = b.
std::vector<double> dense_forward(const DenseMatrix& l, std::span<const double> b);

/// Returns x with Lᵀ x = b.
std::vector<double> dense_backward(const DenseMatrix& l, std::span<const double> b);

/// Returns x with L Lᵀ x = b.
std::vector<double> dense_solve(const DenseMatrix& l, std::span<const double> b);

/// Returns the condition number of A in the row-sum norm, given the factor. Cost O(n^3).
double condition(const DenseMatrix& a, const DenseMatrix& l);

}  // namespace espalier::internal::support
