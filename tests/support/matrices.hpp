// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "matrix/sparse_matrix.hpp"

namespace espalier::internal::support {

struct Entry {
  Index row, column;
  double value;
};

/// Returns the symmetric matrix with the given entries of one triangle, in any order.
SparseMatrix from_entries(Index n, const std::vector<Entry>& entries);

/// Returns all n * n values, by columns.
std::vector<double> to_dense(const SparseMatrixView& a);

/// Returns the tridiagonal matrix of -1, 2, -1. Its factor has l(j,j) = sqrt((j+2)/(j+1)) and
/// l(j+1,j) = -1/l(j,j).
SparseMatrix tridiagonal(Index n);

/// Returns the full matrix a(i,j) = (4^(min(i,j)+1) - 1) / (3 * 2^(i+j)). Its factor is l(i,j) =
/// 2^(j-i), a closed form that the tests of DLA-Future use (ETH Zurich, CSCS).
SparseMatrix powers_of_two(Index n);

/// Returns a matrix with n on the diagonal and -1 in the last row, whose factor has no fill. If the
/// head is first, the factor is full.
SparseMatrix arrow_head_last(Index n);
SparseMatrix arrow_head_first(Index n);

SparseMatrix identity(Index n);

/// Returns the 10 x 10 structure of the running example in Liu, "The role of elimination trees in
/// sparse factorization", SIAM J. Matrix Anal. Appl. 11, 1990. Parents in its elimination tree: 2,
/// 4, 6, 8, 8, 6, 7, 8, 9, none.
SparseMatrix liu_1990();

/// Returns a matrix with three components of 1, 2 and 4 vertices, whose numbers alternate. So the
/// elimination forest has three trees.
SparseMatrix separable();

/// Returns a random matrix for a seed. It has about `per_column` off-diagonal entries per column at
/// random places, with values in [-1, 1]. Each diagonal entry is larger by 1 than the sum of its
/// row.
SparseMatrix random_dominant(Index n, double per_column, std::uint64_t seed);

/// Returns an indefinite matrix: tridiagonal except for a zero at (column, column). This is the
/// first pivot that is not positive in the given order.
SparseMatrix bad_pivot(Index n, Index column);

struct NamedMatrix {
  std::string name;
  SparseMatrix matrix;
};

/// Returns positive definite matrices of order 1 to 60: the ones above, and others of different
/// kinds.
std::vector<NamedMatrix> small_matrices();

}  // namespace espalier::internal::support
