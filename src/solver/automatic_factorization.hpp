// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <memory>

#include "base/clock.hpp"
#include "espalier/espalier.hpp"
#include "solver/factor_data.hpp"

namespace espalier::internal {

/// If the options ask for Factorization::automatic, notes this and makes L Lᵀ the present kind.
void begin_with_llt(FactorState& state);

/// Returns whether a factor with Factorization::automatic still factors A = L Lᵀ.
bool tries_llt(const FactorState& state);

/// Returns whether L Lᵀ must fail, because a diagonal entry is not positive. Cost O(n).
bool has_bad_diagonal(const Matrix& matrix);

/// Steps of a factorization in one process, or of all ranks together.
struct FactorizationSteps {
  /// Returns whether L Lᵀ must fail, because a diagonal entry is not positive.
  std::function<bool()> has_bad_diagonal{};
  /// Factorizes once, by the present kind. The watch was started when this began.
  std::function<FactorStatus(const Stopwatch& watch)> factorize{};
  /// Makes all later factorizations A = L J Lᵀ. `attempt_seconds` is the time of the failed
  /// factorization L Lᵀ, or 0.
  std::function<void(double attempt_seconds)> turn_to_ldlt{};
};

/// Factorizes by the present kind. If this is an attempt of L Lᵀ with Factorization::automatic that
/// fails, turns to L J Lᵀ and factorizes again. Skips the attempt if it must fail. `watch` was
/// started when the factorization began.
FactorStatus factorize_by_steps(const FactorState& state, const Stopwatch& watch,
                                const FactorizationSteps& steps);

/// Returns the analysis for factorizations that choose their pivots: the known one, unless a
/// weighted matching of this matrix relates columns. It then orders the matrix again. Throws
/// InputError if a value is not finite.
std::shared_ptr<const AnalysisData> matched(const std::shared_ptr<const AnalysisData>& known,
                                            const Matrix& matrix);

/// Makes all later factorizations A = L J Lᵀ, with pivots that blocks choose. Computes a weighted
/// matching of this matrix, unless the analysis has one. If the matching relates columns, orders
/// the matrix again. `attempt_seconds` is the time of the failed factorization L Lᵀ, or 0. Throws
/// as make_numeric(), and InputError if a value is not finite; the factor then still tries L Lᵀ.
void turn_to_ldlt(FactorData& data, const Matrix& matrix, double attempt_seconds);

}  // namespace espalier::internal
