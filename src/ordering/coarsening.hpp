// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "ordering/weighted_graph.hpp"

namespace espalier {

/// A graph with pairs of its vertices merged.
struct CoarseGraph {
  WeightedGraph graph;
  std::vector<Index> coarse_of;  ///< of every finer vertex
};

/// Merges vertices with the free neighbour behind their heaviest edge; where that leaves many
/// alone, as in stars, also with one that shares a neighbour. No pair gets heavier than `heaviest`.
/// Vertices choose in their own numbering: in random order, which was no better on average, every
/// step misses the cache. Cost O(n + edges). Karypis, Kumar, "A fast and high quality multilevel
/// scheme for partitioning irregular graphs", SIAM J. Sci. Comput. 20, 1998, section 3.
CoarseGraph coarsen(const WeightedGraph& graph, Index heaviest);

}  // namespace espalier
