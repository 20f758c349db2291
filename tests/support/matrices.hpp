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

/// The symmetric matrix with the given entries of one triangle, in any order.
SparseMatrix from_entries(Index n, const std::vector<Entry>& entries);

/// All n * n values, by columns.
std::vector<double> to_dense(const SparseMatrixView& a);

/// -1, 2, -1. Its factor has l(j,j) = sqrt((j+2)/(j+1)) and l(j+1,j) = -1/l(j,j).
SparseMatrix tridiagonal(Index n);

/// Full; a(i,j) = (4^(min(i,j)+1) - 1) / (3 * 2^(i+j)) has the factor l(i,j) = 2^(j-i): a closed
/// form used by the tests of DLA-Future (ETH Zurich, CSCS).
SparseMatrix powers_of_two(Index n);

/// n on the diagonal and -1 in the last row: no fill. Numbered the other way round, the head first,
/// its factor is full.
SparseMatrix arrow_head_last(Index n);
SparseMatrix arrow_head_first(Index n);

SparseMatrix identity(Index n);

/// The 10 x 10 structure of the running example in Liu, "The role of elimination trees in sparse
/// factorization", SIAM J. Matrix Anal. Appl. 11, 1990. Parents in its elimination tree:
/// 2, 4, 6, 8, 8, 6, 7, 8, 9, none.
SparseMatrix liu_1990();

/// Three components of 1, 2 and 4 vertices, numbered in turns, so that the elimination forest has
/// three trees.
SparseMatrix separable();

/// Seeded: about `per_column` off-diagonal entries a column at random places, values in [-1, 1],
/// and a diagonal that is larger than the sum of its row by 1.
SparseMatrix random_dominant(Index n, double per_column, std::uint64_t seed);

/// Indefinite: tridiagonal but for a zero at (column, column), where elimination in the given
/// order meets its first pivot that is not positive.
SparseMatrix bad_pivot(Index n, Index column);

struct NamedMatrix {
  std::string name;
  SparseMatrix matrix;
};

/// Positive definite matrices of order 1 to 60 that differ in kind: those above and some others.
std::vector<NamedMatrix> small_matrices();

}  // namespace espalier::internal::support
