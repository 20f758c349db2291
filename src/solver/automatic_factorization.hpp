// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "espalier/espalier.hpp"
#include "solver/factor_data.hpp"

namespace espalier::internal {

/// Returns whether a factor with Factorization::automatic still factors A = L Lᵀ.
bool tries_llt(const FactorData& data);

/// Returns whether L Lᵀ must fail, because a diagonal entry is not positive. Cost O(n).
bool has_bad_diagonal(const Matrix& matrix);

/// Makes all later factorizations A = L J Lᵀ, with pivots that blocks choose. Computes a weighted
/// matching of this matrix, unless the analysis has one. If the matching relates columns, orders
/// the matrix again. `attempt_seconds` is the time of the failed factorization L Lᵀ, or 0. Throws
/// as make_numeric(), and InputError if a value is not finite; the factor then still tries L Lᵀ.
void turn_to_ldlt(FactorData& data, const Matrix& matrix, double attempt_seconds);

}  // namespace espalier::internal
