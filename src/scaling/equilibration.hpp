// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "matrix/sparse_matrix.hpp"

namespace espalier::internal {

/// Returns a power of two s_i per row, so that the largest |s_i a_ij s_j| of each row is about 1:
/// at least 1/4 and at most 2. Multiplying with s is exact. A row of zeros gets s_i = 1.
///
/// Compute a scaled entry as a_ij (s_i s_j), which is exact and cannot overflow, because s_i is
/// from 2^-511 to 2^511. A row that needs a larger or smaller scale stays outside the bounds above.
/// Values must be finite.
///
/// Each pass divides s_i by the square root of its row's largest scaled entry, and halves the
/// logarithm of the largest deviation from 1. So 13 passes are enough for any matrix of doubles;
/// common matrices need one to six. Cost O(nnz) per pass. Ruiz, "A scaling algorithm to equilibrate
/// both rows and columns norms in matrices", report RAL-TR-2001-034, 2001.
std::vector<double> equilibration(const SparseMatrixView& a);

/// Returns scales with the same bounds that make more diagonal entries large. The passes begin with
/// the scales that make nonzero diagonal entries 1. A constraint with a zero diagonal entry is then
/// scaled for its variables, and not they for it. If a scale would be below 2^-511 or above 2^511,
/// the result is that of equilibration().
std::vector<double> diagonal_equilibration(const SparseMatrixView& a);

/// The rows of a matrix that this process has. Several processes may share the matrix.
struct RowsToScale {
  Index count;
  /// Sets maximum[i] to the largest coarse_log2(a_ij) + x[j] of row i, no_entry for a row of zeros.
  /// All processes must get the same maximum of a row that they share.
  std::function<void(std::span<const float> x, std::span<float> maximum)> find_maxima;
  /// Replaces each number by its maximum over all processes.
  std::function<void(std::span<float> numbers)> find_largest_of_all;
};

/// Equilibrates a matrix whose rows are on several processes. Each gets the scales of its rows,
/// which have the same bits as in one process.
std::vector<double> equilibration(const RowsToScale& rows);

}  // namespace espalier::internal
