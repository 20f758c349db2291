// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "espalier/export.hpp"
#include "espalier/types.hpp"

/// \file
/// Parts of the factorization P A Pᵀ = L Lᵀ or P A Pᵀ = L J Lᵀ that a Factor returns. P maps the
/// numbering of A to the numbering of L.

namespace espalier {

/// One step of a solve, or all steps without refinement: see Factor::solve_part().
enum class System {
  a,   ///< A x = b; both are in the numbering of A.
  l,   ///< L x = b; both are in the numbering of L.
  lt,  ///< Lᵀ x = b; both are in the numbering of L.
  p,   ///< x = P b; b is in the numbering of A, and x in that of L.
  pt,  ///< x = Pᵀ b; b is in the numbering of L, and x in that of A.
};

/// Treatment of the zeros that are stored in L. Amalgamation adds such zeros to make supernodes
/// wider.
enum class ExplicitZeros {
  /// Entries that equal zero are left out: zeros of amalgamation and results that happen to be
  /// zero. So the pattern may depend on the values.
  dropped,
  /// All stored entries are returned; their number is Analysis::factor_entries(). The pattern
  /// depends on the analysis only.
  kept,
};

/// L in compressed columns, in the numbering of L.
struct LowerFactor {
  /// The n + 1 offsets of the columns. The entries of column j are column_begin[j] ..
  /// column_begin[j+1] - 1.
  std::vector<Count> column_begin;
  /// Rows of the entries. The rows of a column ascend and begin with the diagonal.
  std::vector<Index> row;
  /// Values of the entries.
  std::vector<double> value;
};

/// Numbers of eigenvalues by their signs.
struct Inertia {
  /// Reliability of an inertia.
  enum class Status {
    /// The inertia of A: rounding errors of the factorization are too small to change it.
    exact,
    /// Regularization has changed A, or rounding errors may have changed signs.
    uncertain,
  };
  /// Number of positive eigenvalues.
  Index positive = 0;
  /// Number of negative eigenvalues.
  Index negative = 0;
  /// Number of eigenvalues that are zero except for rounding errors. If it is not 0, the status is
  /// uncertain.
  Index zero = 0;
  /// Reliability of the three numbers.
  Status status = Status::exact;
};

/// The number mantissa * 2^exponent, which neither overflows nor underflows.
struct ESPALIER_EXPORT Determinant {
  /// Mantissa. Its magnitude is at least 1/2 and less than 1, or it is 0.
  double mantissa = 0.5;
  /// Exponent to the base 2.
  Count exponent = 1;

  /// Returns the number as a double: infinity if it is too large, and zero if it is too small.
  double value() const;
  /// Returns the natural logarithm of the magnitude of the number: -infinity for 0.
  double log() const;
};

}  // namespace espalier
