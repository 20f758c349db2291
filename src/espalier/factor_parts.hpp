// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "espalier/export.hpp"
#include "espalier/types.hpp"

/// \file
/// This header has what a Factor tells of L, where P A Pᵀ = L Lᵀ: P takes the numbering of A to
/// that of L.

namespace espalier {

/// A System is one step of a solve, or all of them without refinement: see Factor::solve_part().
enum class System {
  a,   ///< A x = b; both are in the numbering of A.
  l,   ///< L x = b; both are in the numbering of L.
  lt,  ///< Lᵀ x = b; both are in the numbering of L.
  p,   ///< x = P b; b is in the numbering of A, and x in that of L.
  pt,  ///< x = Pᵀ b; b is in the numbering of L, and x in that of A.
};

/// The ExplicitZeros are entries of L that are stored though they are zero: amalgamation makes
/// wider supernodes at the price of some.
enum class ExplicitZeros {
  /// Entries that equal zero are left out: those of amalgamation, and those that happen to be zero.
  /// So the pattern may depend on the values.
  dropped,
  /// All entries are there that are stored, Analysis::factor_entries() of them: the pattern depends
  /// on the analysis alone.
  kept,
};

/// A LowerFactor is L by columns, in its own numbering.
struct LowerFactor {
  /// Column j has the entries column_begin[j] .. column_begin[j+1] - 1; there are n + 1 offsets.
  std::vector<Count> column_begin;
  /// The rows of a column ascend, the diagonal first.
  std::vector<Index> row;
  /// Each row has one value.
  std::vector<double> value;
};

/// A Determinant is mantissa * 2^exponent, which neither overflows nor underflows.
struct ESPALIER_EXPORT Determinant {
  /// The mantissa is at least 1/2 and less than 1.
  double mantissa = 0.5;
  /// The exponent is to the base 2.
  Count exponent = 1;

  /// Returns the number itself: infinity where it is too large for a double, and zero where it is
  /// too small.
  double value() const;
  /// Returns its natural logarithm.
  double log() const;
};

}  // namespace espalier
