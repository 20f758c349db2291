// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "matrix/sparse_matrix.hpp"
#include "support/target.hpp"

namespace espalier::fuzz {

/// Maximum order of matrices that are factorized, because the oracle is dense.
inline constexpr Index largest_order = 60;

/// Expected outcome of a factorization in double precision.
enum class Verdict { definite, indefinite, unclear };

/// Returns the verdict of dense factorizations of D^-1 A D^-1 -+ t I in extended precision, where
/// D^2 is the diagonal of A and t = 4 (n + 1)^2 eps. For any order of elimination, rounding errors
/// change the eigenvalues of D^-1 A D^-1 by less than t (Higham, "Accuracy and stability of
/// numerical algorithms", 2002, theorem 10.7). The verdict is unclear if denormal numbers lose
/// digits. Cost O(n^3).
Verdict verdict_on(const internal::SparseMatrixView& a);

/// Factorizes the matrix with one worker. `variant` selects the ordering, kernels and granularity.
/// Expects the outcome of the verdict. For a definite matrix, solves A x = b and expects a backward
/// error within the bounds of rounding.
void expect_solved(const internal::SparseMatrix& a, std::uint32_t variant, Tally& tally);

}  // namespace espalier::fuzz
