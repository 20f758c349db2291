// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "espalier/espalier.hpp"
#include "matrix/sparse_matrix.hpp"
#include "support/matrices.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace espalier::internal::support {

Matrix to_matrix(const SparseMatrix& a);
SparseMatrix to_sparse(const Matrix& matrix);

/// Returns the matrix with random values from -1 to 1 for a seed. If `zeros` is positive, every
/// `zeros`-th diagonal entry is zero.
SparseMatrix indefinite(SparseMatrix a, Index zeros, std::uint64_t seed);

/// Returns a full random matrix for a seed. Its diagonal makes it well conditioned.
SparseMatrix dense_random(Index n, std::uint64_t seed);

/// Returns the matrix with -1 at (column, column). All other leading minors stay positive, so the
/// pivot of `column` fails in any elimination order.
SparseMatrix with_bad_column(SparseMatrix a, Index column);

/// Returns a(i,j) = 1 / (i + j + 1) (Hilbert, 1894). Its condition number is about e^(3.5 n).
SparseMatrix hilbert(Index n);

/// Returns D A D with random entries of D from 2^-range to 2^range. It is badly scaled, but its
/// factor is as accurate as that of A.
SparseMatrix badly_scaled(SparseMatrix a, int range, std::uint64_t seed);

/// Returns random values in [-1, 1] for a seed.
std::vector<double> random_vector(std::size_t entries, std::uint64_t seed);

/// Options of an analysis. Limits are so low by default that even small matrices have many panels.
struct StructureOptions {
  std::string ordering = "amd";
  Index panel_width = 8;
  AmalgamationOptions amalgamation{{2, 4, 8, 16}, {1.0, 0.5, 0.2, 0.05}};
};
SymbolicFactor structure_of(const SparseMatrix& a, const StructureOptions& options = {});

struct NamedStructure {
  std::string name;
  SymbolicFactor symbolic;
};

/// Structures with one to some hundreds of panels: grids, random, arrows, dense, diagonal, forests.
const std::vector<NamedStructure>& sample_structures();

/// small_matrices() and larger ones, up to order 512, some with several degrees of freedom per
/// node.
const std::vector<NamedMatrix>& solver_problems();

}  // namespace espalier::internal::support
