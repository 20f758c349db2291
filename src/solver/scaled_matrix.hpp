// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "espalier/options.hpp"
#include "espalier/types.hpp"
#include "solver/data.hpp"

namespace espalier::internal {

/// The matrix S A S of a factorization that chooses its pivots. S is diagonal and makes the largest
/// entries of all rows about equal.
struct ScaledMatrix {
  std::vector<double> factors{};  ///< S, one power of two per row of A
  std::vector<double> values{};   ///< of S A S, in the order of the pattern of A

  /// Computes S and S A S, whose entries are exact unless they underflow. If a value of A is not
  /// finite, S = 1. Cost O(entries) per pass of equilibration().
  void scale(const MatrixData& matrix);
};

/// Returns the memory of a ScaledMatrix, in bytes, if the options may need it.
Count scaled_matrix_bytes(Index n, Count entries, const FactorOptions& options);

}  // namespace espalier::internal
