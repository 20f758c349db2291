// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "matrix/sparse_matrix.hpp"

namespace espalier::internal::support {

/// Numbers of positive, negative and zero eigenvalues.
using Inertia = std::array<Index, 3>;

/// Returns the inertia of a matrix by a dense L D Lᵀ with complete pivoting and pivots of order 1
/// and 2, in textbook loops. Source: Bunch and Parlett, "Direct methods for solving symmetric
/// indefinite systems of linear equations", SIAM J. Numer. Anal. 8, 1971. If all remaining entries
/// are at most tolerance(n) times the largest entry of the matrix, the remaining eigenvalues count
/// as zero. Cost O(n^3).
Inertia inertia_of(const SparseMatrixView& matrix);

}  // namespace espalier::internal::support
