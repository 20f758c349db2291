// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

#include "base/dense.hpp"
#include "codelets/kernels.hpp"
#include "espalier/types.hpp"

/// \file
/// Steps of factorizations that choose their pivots inside a symmetric block. They have internal
/// linkage, because sources for several instruction sets include them.

namespace espalier::internal {

/// An entry left of the diagonal of the pivot column may be this much larger than a pivot of order
/// one (Bunch and Kaufman, "Some stable methods for calculating inertia and solving symmetric
/// linear systems", 1977).
static const double pivot_ratio = (1 + std::sqrt(17.0)) / 8;

static inline void exchange(double& a, double& b) {
  const double kept = a;
  a = b;
  b = kept;
}

/// Swaps rows and columns j < i of a symmetric matrix, given by its lower triangle.
static inline void swap_symmetric(MatrixView a, Index j, Index i) {
  if (i == j) return;
  for (Index k = 0; k < j; ++k) exchange(a(j, k), a(i, k));
  exchange(a(j, j), a(i, i));
  for (Index k = j + 1; k < i; ++k) exchange(a(k, j), a(i, k));
  for (Index k = i + 1; k < a.columns; ++k) exchange(a(k, j), a(k, i));
}

/// Rotates two columns of `count` entries.
static inline void rotate_columns(double* left, double* right, Index count, Rotation by) {
  for (Index i = 0; i < count; ++i) {
    const double old = left[i];
    left[i] = by.cosine * old - by.sine * right[i];
    right[i] = by.sine * old + by.cosine * right[i];
  }
}

/// Rotates rows j and j + 1 of the first `columns` columns.
static inline void rotate_rows(MatrixView a, Index j, Index columns, Rotation by) {
  for (Index k = 0; k < columns; ++k) {
    const double above = a(j, k);
    a(j, k) = by.cosine * above - by.sine * a(j + 1, k);
    a(j + 1, k) = by.sine * above + by.cosine * a(j + 1, k);
  }
}

/// A symmetric matrix of order two as a rotation and its eigenvalues.
struct DiagonalizedPair {
  Rotation rotation;
  double first;
  double second;
};

/// Diagonalizes the matrix with the diagonal (a, c) and the entry b beside it (Golub and Van Loan,
/// "Matrix computations", 2013, section 8.5.2). Pivots of order one that are smaller than
/// pivot_ratio |b| bound the ratio below by one.
static inline DiagonalizedPair diagonalized(double a, double b, double c) {
  const double ratio = (c - a) / (2 * b);
  const double tangent = std::copysign(1 / (std::abs(ratio) + std::sqrt(1 + ratio * ratio)), ratio);
  const double cosine = 1 / std::sqrt(1 + tangent * tangent);
  return {{cosine, tangent * cosine}, a - tangent * b, c + tangent * b};
}

/// Stores column k of L: the entries of the column below the pivot, divided by J sqrt(|pivot|).
/// Column k of A and `entries` count rows alike. Sets the sign.
static inline void store_pivot_column(MatrixView a, Index k, double pivot, const double* entries,
                                      double& sign) {
  sign = std::signbit(pivot) ? -1 : 1;
  const double root = std::sqrt(std::abs(pivot));
  const double divisor = sign * root;
  double* const column = a.column(k);
  for (Index i = k + 1; i < a.columns; ++i) column[i] = entries[i] / divisor;
  column[k] = root;
}

}  // namespace espalier::internal
