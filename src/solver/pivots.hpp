// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/panel_structure.hpp"
#include "espalier/factor_parts.hpp"
#include "espalier/options.hpp"
#include "espalier/report.hpp"
#include "solver/factor_state.hpp"
#include "solver/numeric_factor.hpp"

namespace espalier::internal {

/// Throws UsageError if the options may need A = L J Lᵀ, and other options do not support it.
void expect_supported(const FactorOptions& options);
/// Throws UsageError unless the factorization is A = L J Lᵀ.
void expect_signed(const FactorState& state);
/// Throws UsageError for Factorization::automatic.
void expect_one_kind(const FactorState& state);
/// Throws UsageError if the options have a regularization, but no signs were set that it needs.
void expect_regularizable(const FactorState& state);

/// Returns whether factorizations choose their pivots.
bool chooses_pivots(const FactorState& state);
/// Allocates the memory of chosen pivots, unless it exists. Waits for all tasks first if it does
/// not.
void prepare_pivots(NumericFactor& numeric);

/// Returns the signs of n rows as numbers. Throws UsageError if their number or one of them is
/// wrong. The message counts rows from `base`.
std::vector<double> checked_signs(std::span<const signed char> given, Index n, Index base);

/// Returns the memory, in bytes, of signs, of marks of replaced pivots, and of the data of pivots
/// that the factorization chooses.
Count pivot_bytes(Index n, const FactorOptions& options);

/// Numbers of pivots by their signs.
struct SignCounts {
  Index positive = 0;
  Index negative = 0;
  Index zero = 0;  ///< pivots that are zero except for rounding errors

  /// Counts the pivot of a column.
  void add(const PivotSigns& signs, Index column);
};
/// Counts the pivots of n columns. Those of L Lᵀ, which has no signs, are positive.
SignCounts count_signs(const PivotSigns& signs, Index n);

/// Facts about the pivots of L J Lᵀ.
struct SignedPivotFacts {
  SignCounts signs{};
  double growth = 0;              ///< see Factor::growth()
  double inverse_norm = 0;        ///< see scaled_inverse_norm()
  bool regularized = false;       ///< A was changed by more than `row_norms` show
  std::vector<Index> replaced{};  ///< columns of A whose pivots were replaced, ascending

  Inertia inertia() const;
};

/// Returns marks of the columns whose pivots were zero except for rounding errors, in the order of
/// pivots.
std::vector<std::uint8_t> null_marks(const PivotSigns& signs);
/// Returns the facts that need no values of L, for these replaced columns.
SignedPivotFacts facts_of(const PivotSigns& signs, const SignCounts& counts,
                          std::vector<Index> replaced);
/// Returns the marks of columns, which are in the order of pivots, in the order of the structure.
std::vector<std::uint8_t> in_order_of_l(const PanelStructure& structure, const BlockPivots& pivots,
                                        std::span<const std::uint8_t> marks);

/// Returns, for each row of the structure, the sum of the squares of the entries of L that this
/// process has. If blocks chose their pivots, U L counts instead of L; the sums are then upper
/// bounds. Cost O(entries of L).
std::vector<double> row_squares(const PartView& part, NumericFactor& factor);
/// Returns the diagonal of L, in the order of the structure, with zeros for columns whose diagonal
/// entries another process has. Cost O(n).
std::vector<double> diagonal_of(const PartView& part, NumericFactor& factor);
/// Returns norms of the rows of the factored matrix, given the squares of the rows of L. If blocks
/// chose their pivots, and a replaced one changed a diagonal entry, the change counts as a rounding
/// error. `replaced` marks the changed entries.
std::vector<double> row_norms(const PivotSigns& signs, std::span<const double> squares,
                              std::span<const std::uint8_t> replaced);

/// Sets x to A⁻¹ x. On several ranks, the root has all of x, and the others have nothing.
using SolveInPlace = std::function<void(std::span<double> x)>;

/// Estimates the largest column sum of |R A⁻¹ R|, where R has r on its diagonal. Uses the method of
/// Hager and Higham (Higham, "Accuracy and Stability of Numerical Algorithms", 2002, section 15.3)
/// with seven solves. It begins with a random vector, because a vector of ones may be orthogonal to
/// the vectors for which A is almost singular. The estimate is at most the norm, and seldom less
/// than a third of it. On several ranks, r is empty except on the root; all ranks must call it.
double scaled_inverse_norm(std::span<const double> r, const SolveInPlace& solve);

/// Returns the growth, given the largest sum of squares of a row of L and the largest magnitude of
/// an entry of A. It is 1 for a matrix without rows.
double growth(double square, double magnitude);

/// Fills the part of `factor` that describes these pivots.
void describe_pivots(const SignedPivotFacts& facts, Report& report);

}  // namespace espalier::internal
