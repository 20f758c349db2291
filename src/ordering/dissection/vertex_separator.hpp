// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

#include "ordering/dissection/separator_refinement.hpp"

namespace espalier::internal {

/// Graph in which pairs of vertices are merged.
struct CoarseGraph {
  WeightedGraph graph;
  std::vector<Index> coarse_of;  ///< coarse vertex of every finer vertex
};

/// Merges each vertex with the free neighbour to which its heaviest edge leads. If many vertices
/// stay single, as in stars, also merges vertices that share a neighbour. A pair weighs at most
/// `heaviest`. Vertices choose in the order of their numbers; in random order every step would miss
/// the cache. Cost O(n + edges). Karypis, Kumar, "A fast and high quality multilevel scheme for
/// partitioning irregular graphs", SIAM J. Sci. Comput. 20, 1998, section 3.
CoarseGraph coarsen(const WeightedGraph& graph, Index heaviest);

/// Returns the next seed of a pseudorandom sequence.
std::uint64_t next_seed(std::uint64_t seed);

/// Finds small balanced vertex separators. It coarsens the graph to about a hundred vertices, grows
/// separators from some of them, and refines the best one on every finer graph. The result depends
/// only on the arguments. The object has workspace for one caller at a time.
class SeparatorFinder {
 public:
  SeparatorFinder(const SeparationCost& cost, const std::atomic<bool>& cancelled)
      : cost_(cost), cancelled_(cancelled), refinement_(cost) {}

  /// Returns a separation. A side may be empty if no separator divides the graph, for example a
  /// complete graph. After `cancelled` is set, the call returns early with an undefined result.
  Separation find(const WeightedGraph& graph, std::uint64_t seed, int attempts = 3);

 private:
  std::vector<CoarseGraph> hierarchy(const WeightedGraph& graph) const;
  Separation best_grown(const WeightedGraph& graph, std::uint64_t seed, int attempts);

  SeparationCost cost_;
  const std::atomic<bool>& cancelled_;
  SeparatorRefinement refinement_;
};

}  // namespace espalier::internal
