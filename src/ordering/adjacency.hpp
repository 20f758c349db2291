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

/// Returns the adjacency graph of a lower triangle. Cost O(n + nnz). A large graph needs
/// 8 more bytes per entry during the call.
AdjacencyGraph adjacency(const PatternView& pattern, Index workers = 1);

/// Returns the graph with renumbered vertices, neighbours ascending. Cost O(n + nnz) on one worker.
/// Several workers sort each list.
AdjacencyGraph permuted(const AdjacencyGraph& graph, const Permutation& permutation,
                        Index workers = 1);

/// Throws InputError for the first loop, unsorted list, or edge without its reverse.
void check(const AdjacencyGraph& graph);

}  // namespace espalier::internal
