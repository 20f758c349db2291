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

/// Full, seeded, with a diagonal that makes it well conditioned.
SparseMatrix dense_random(Index n, std::uint64_t seed);

/// The same matrix with -1 at (column, column). Every other leading minor stays positive, so in any
/// elimination order `column` is the one whose pivot fails.
SparseMatrix with_bad_column(SparseMatrix a, Index column);

/// a(i,j) = 1 / (i + j + 1) (Hilbert, 1894): condition number about e^(3.5 n).
SparseMatrix hilbert(Index n);

/// D A D with D from 2^-range to 2^range, at random: badly scaled, its factor as exact as that of
/// A.
SparseMatrix badly_scaled(SparseMatrix a, int range, std::uint64_t seed);

/// Values in [-1, 1], seeded.
std::vector<double> random_vector(std::size_t entries, std::uint64_t seed);

/// How a test analyzes: by default, limits so low that even small matrices have many panels.
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

/// Structures from one panel to some hundreds: grids, random, arrows, dense, diagonal, forests.
const std::vector<NamedStructure>& sample_structures();

/// small_matrices() and larger ones, up to order 512, among them several degrees of freedom a node.
const std::vector<NamedMatrix>& solver_problems();

}  // namespace espalier::internal::support
