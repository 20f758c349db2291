// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "matrix/sparse_matrix.hpp"

namespace espalier {

// Vectors are the columns of an n-by-count array stored by columns; a span whose length is not
// n * count is a UsageError. A is symmetric, given by its lower triangle.

/// y = A x. Cost: one pass over A for four vectors.
void multiply(const SparseMatrixView& a, std::span<const double> x, std::span<double> y,
              Index count = 1);

/// r = b - A x in double precision. r may be b itself.
void residual(const SparseMatrixView& a, std::span<const double> x, std::span<const double> b,
              std::span<double> r, Index count = 1);

/// The largest absolute value, 0 for no values, NaN where one is NaN.
double max_abs(std::span<const double> values);

/// The largest row sum of absolute values of A.
double norm_inf(const SparseMatrixView& a);

/// max|r| / (norm_a max|x| + max|b|) for one vector with its residual r = b - A x; 0 where r is 0.
/// NaN or infinity wherever a number involved is not finite, never a small number.
double backward_error(double norm_a, std::span<const double> x, std::span<const double> b,
                      std::span<const double> r);

/// r = b - A x, and the worst backward error among the `count` right-hand sides; norm_a is
/// norm_inf(a).
double residual_error(const SparseMatrixView& a, double norm_a, std::span<const double> x,
                      std::span<const double> b, std::span<double> r, Index count = 1);

}  // namespace espalier
