// SPDX-License-Identifier: BSD-3-Clause
#include "support/inertia.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "support/dense_cholesky.hpp"
#include "support/tolerance.hpp"

namespace espalier::internal::support {

namespace {

/// The largest entry of all compared ones.
struct LargestEntry {
  double size = 0;
  Index row = 0, column = 0;

  void compare(const DenseMatrix& a, Index i, Index j) {
    if (std::fabs(a(i, j)) > size) *this = {std::fabs(a(i, j)), i, j};
  }
};

/// The largest entries from unknown `first` on: on the diagonal, and below it.
struct Candidates {
  LargestEntry diagonal, below;

  Candidates(const DenseMatrix& a, Index first) {
    for (Index j = first; j < a.order(); ++j) {
      diagonal.compare(a, j, j);
      for (Index i = j + 1; i < a.order(); ++i) below.compare(a, i, j);
    }
  }
  double largest() const { return std::max(diagonal.size, below.size); }
};

void swap_unknowns(DenseMatrix& a, Index p, Index q) {
  for (Index k = 0; k < a.order(); ++k) std::swap(a(p, k), a(q, k));
  for (Index k = 0; k < a.order(); ++k) std::swap(a(k, p), a(k, q));
}

void eliminate_one(DenseMatrix& a, Index k) {
  for (Index j = k + 1; j < a.order(); ++j) {
    const double factor = a(j, k) / a(k, k);
    for (Index i = k + 1; i < a.order(); ++i) a(i, j) -= a(i, k) * factor;
  }
}

void eliminate_two(DenseMatrix& a, Index k) {
  const double p = a(k, k), q = a(k + 1, k), r = a(k + 1, k + 1);
  const double determinant = p * r - q * q;
  for (Index j = k + 2; j < a.order(); ++j) {
    const double first = (r * a(j, k) - q * a(j, k + 1)) / determinant;
    const double second = (p * a(j, k + 1) - q * a(j, k)) / determinant;
    for (Index i = k + 2; i < a.order(); ++i) {
      a(i, j) -= a(i, k) * first + a(i, k + 1) * second;
    }
  }
}

}  // namespace

Inertia inertia_of(const SparseMatrixView& matrix) {
  const Index n = matrix.pattern.n;
  DenseMatrix a = permuted(matrix, Permutation::identity(n));
  const double least = tolerance(n) * Candidates(a, 0).largest();
  const double alpha = (1 + std::sqrt(17.0)) / 8;  // limits the growth of entries
  Inertia inertia{0, 0, 0};
  for (Index k = 0; k < n;) {
    const Candidates candidates(a, k);
    if (candidates.largest() <= least) {
      inertia[2] = n - k;
      break;
    }
    if (candidates.diagonal.size >= alpha * candidates.below.size) {
      swap_unknowns(a, k, candidates.diagonal.row);
      ++inertia[a(k, k) > 0 ? 0 : 1];
      eliminate_one(a, k);
      k += 1;
    } else {  // the determinant of the pivot is negative
      swap_unknowns(a, k, candidates.below.column);
      swap_unknowns(a, k + 1, candidates.below.row);
      ++inertia[0];
      ++inertia[1];
      eliminate_two(a, k);
      k += 2;
    }
  }
  return inertia;
}

}  // namespace espalier::internal::support
