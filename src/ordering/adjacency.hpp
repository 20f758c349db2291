// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "matrix/sparse_matrix.hpp"

namespace espalier::internal {

/// Graph of a symmetric matrix: both directions of every edge, no loops, neighbours ascending.
struct AdjacencyGraph {
  Index n = 0;
  std::vector<Count> begin{0};  ///< n + 1 offsets
  std::vector<Index> neighbour;

  std::span<const Index> of(Index v) const {
    return {neighbour.data() + begin[v], neighbour.data() + begin[v + 1]};
  }
};

/// Returns the adjacency graph of a lower triangle. Cost O(n + nnz).
AdjacencyGraph adjacency(const PatternView& pattern);

/// Returns the graph with renumbered vertices, neighbours ascending. Cost O(n + nnz).
AdjacencyGraph permuted(const AdjacencyGraph& graph, const Permutation& permutation);

/// Throws InputError for the first loop, unsorted list, or edge without its reverse.
void check(const AdjacencyGraph& graph);

}  // namespace espalier::internal
