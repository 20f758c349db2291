// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "matrix/sparse_matrix.hpp"
#include "ordering/adjacency.hpp"

namespace espalier::internal {

/// Returns the rows of every column of L, ascending, the diagonal first, for the renumbered graph.
/// Runs Gaussian elimination on a dense matrix of booleans.
inline std::vector<std::vector<Index>> brute_force_structure(const AdjacencyGraph& graph,
                                                             const Permutation& permutation) {
  const Index n = graph.n;
  std::vector<std::vector<char>> nonzero(n, std::vector<char>(n, 0));
  for (Index v = 0; v < n; ++v) {
    nonzero[permutation.new_of[v]][permutation.new_of[v]] = 1;
    for (const Index u : graph.of(v)) nonzero[permutation.new_of[v]][permutation.new_of[u]] = 1;
  }
  std::vector<std::vector<Index>> structure(n);
  for (Index k = 0; k < n; ++k) {
    for (Index i = k; i < n; ++i) {
      if (nonzero[k][i]) structure[k].push_back(i);
    }
    for (const Index i : structure[k]) {
      for (const Index j : structure[k]) nonzero[i][j] = 1;
    }
  }
  return structure;
}

inline Count entries_of(const std::vector<std::vector<Index>>& structure) {
  Count entries = 0;
  for (const auto& column : structure) entries += static_cast<Count>(column.size());
  return entries;
}

}  // namespace espalier::internal
