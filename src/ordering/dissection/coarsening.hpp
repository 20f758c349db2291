// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/parallel.hpp"
#include "base/uninitialized.hpp"
#include "ordering/dissection/weighted_graph.hpp"

namespace espalier::internal {

/// Graph in which pairs of vertices are merged.
struct CoarseGraph {
  WeightedGraph graph;
  UninitializedVector<Index> coarse_of;  ///< coarse vertex of every finer vertex
};

/// Merges each vertex with the free neighbour to which its heaviest edge leads. If many vertices
/// stay single, as in stars, also merges vertices that share a neighbour. A pair weighs at most
/// `heaviest`. Vertices choose in the order of their numbers; in random order every step would miss
/// the cache. Karypis, Kumar, "A fast and high quality multilevel scheme for partitioning irregular
/// graphs", SIAM J. Sci. Comput. 20, 1998, section 3. Cost O(n + edges). About a fourth of it, the
/// choice of the pairs, is serial. Blocks of vertices share the rest.
CoarseGraph coarsen(const WeightedGraph& graph, Index heaviest,
                    const ParallelLoop& loop = serial_loop);

}  // namespace espalier::internal
