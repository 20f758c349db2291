// SPDX-License-Identifier: BSD-3-Clause
#include "support/dense_cholesky.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace espalier::internal::support {

DenseMatrix permuted(const SparseMatrixView& a, const Permutation& permutation) {
  DenseMatrix dense(a.pattern.n);
  for (Index j = 0; j < a.pattern.n; ++j) {
    for (Count k = a.pattern.column_begin[j]; k < a.pattern.column_begin[j + 1]; ++k) {
      const Index row = permutation.new_of[a.pattern.row[k]];
      const Index column = permutation.new_of[j];
      dense(row, column) = dense(column, row) = a.value[k];
    }
  }
  return dense;
}

namespace {

/// Factors the lower triangle in place, right-looking. Stops at the first pivot that is not
/// positive.
Index factor_in_place(DenseMatrix& a) {
  const Index n = a.order();
  for (Index k = 0; k < n; ++k) {
    if (!(a(k, k) > 0)) return k;
    a(k, k) = std::sqrt(a(k, k));
    for (Index i = k + 1; i < n; ++i) a(i, k) /= a(k, k);
    for (Index j = k + 1; j < n; ++j) {
      const double factor = a(j, k);
      if (factor == 0) continue;
      for (Index i = j; i < n; ++i) a(i, j) -= a(i, k) * factor;
    }
  }
  return -1;
}

}  // namespace

DenseMatrix dense_cholesky(DenseMatrix a) {
  if (factor_in_place(a) >= 0) throw std::domain_error("the matrix is not positive definite");
  for (Index j = 1; j < a.order(); ++j) {
    for (Index i = 0; i < j; ++i) a(i, j) = 0;
  }
  return a;
}

Index first_bad_pivot(DenseMatrix a) { return factor_in_place(a); }

std::vector<double> dense_forward(const DenseMatrix& l, std::span<const double> b) {
  std::vector<double> x(b.begin(), b.end());
  const Index n = l.order();
  for (Index j = 0; j < n; ++j) {
    x[j] /= l(j, j);
    for (Index i = j + 1; i < n; ++i) x[i] -= l(i, j) * x[j];
  }
  return x;
}

std::vector<double> dense_backward(const DenseMatrix& l, std::span<const double> b) {
  std::vector<double> x(b.begin(), b.end());
  const Index n = l.order();
  for (Index j = n - 1; j >= 0; --j) {
    for (Index i = j + 1; i < n; ++i) x[j] -= l(i, j) * x[i];
    x[j] /= l(j, j);
  }
  return x;
}

std::vector<double> dense_solve(const DenseMatrix& l, std::span<const double> b) {
  return dense_backward(l, dense_forward(l, b));
}

double condition(const DenseMatrix& a, const DenseMatrix& l) {
  const Index n = a.order();
  double norm = 0;
  double inverse_norm = 0;
  std::vector<double> unit(n, 0.0);
  for (Index j = 0; j < n; ++j) {
    unit[j] = 1;
    const std::vector<double> inverse_column = dense_solve(l, unit);
    unit[j] = 0;
    double sum = 0;
    double inverse_sum = 0;
    for (Index i = 0; i < n; ++i) {
      sum += std::fabs(a(i, j));
      inverse_sum += std::fabs(inverse_column[i]);
    }
    norm = std::max(norm, sum);
    inverse_norm = std::max(inverse_norm, inverse_sum);
  }
  return norm * inverse_norm;
}

}  // namespace espalier::internal::support
