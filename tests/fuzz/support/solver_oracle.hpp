// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "matrix/sparse_matrix.hpp"
#include "support/target.hpp"

namespace espalier::fuzz {

/// Matrices of at most this order are factorized: the oracle is dense.
inline constexpr Index largest_order = 60;

/// What has to become of a factorization in double precision.
enum class Verdict { definite, indefinite, unclear };

/// Judges by dense factorizations of D^-1 A D^-1 -+ t I in extended precision, where D^2 is the
/// diagonal of A and t = 4 (n + 1)^2 eps: rounding errors of any order of elimination move the
/// eigenvalues of D^-1 A D^-1 by less (Higham, "Accuracy and stability of numerical algorithms",
/// 2002, theorem 10.7). What gets lost in denormal numbers is unclear. Cost O(n^3).
Verdict verdict_on(const internal::SparseMatrixView& a);

/// Factorizes the matrix by one worker, with an ordering, kernels and granularity that `variant`
/// chooses, and expects what the verdict says; and of a definite one that it solves A x = b with a
/// backward error as small as rounding errors leave it.
void expect_solved(const internal::SparseMatrix& a, std::uint32_t variant, Tally& tally);

}  // namespace espalier::fuzz
