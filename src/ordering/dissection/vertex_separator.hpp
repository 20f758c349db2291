// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

#include "ordering/dissection/separator_refinement.hpp"

namespace espalier::internal {

/// A graph with pairs of its vertices merged.
struct CoarseGraph {
  WeightedGraph graph;
  std::vector<Index> coarse_of;  ///< the coarse vertex of every finer one
};

/// Merges vertices with the free neighbour behind their heaviest edge; where that leaves many
/// alone, as in stars, also with one that shares a neighbour. No pair gets heavier than `heaviest`.
/// Vertices choose in their own numbering: in random order, which was no better on average, every
/// step misses the cache. Cost O(n + edges). Karypis, Kumar, "A fast and high quality multilevel
/// scheme for partitioning irregular graphs", SIAM J. Sci. Comput. 20, 1998, section 3.
CoarseGraph coarsen(const WeightedGraph& graph, Index heaviest);

/// A random-looking successor of a seed.
std::uint64_t next_seed(std::uint64_t seed);

/// Finds small balanced vertex separators: coarsens the graph to about a hundred vertices, grows
/// separators from some of them, and refines the best one on every finer graph. The result depends
/// on the arguments alone. Holds work space: one caller at a time.
class SeparatorFinder {
 public:
  SeparatorFinder(const SeparationCost& cost, const std::atomic<bool>& cancelled)
      : cost_(cost), cancelled_(cancelled), refinement_(cost) {}

  /// Either side may come out empty where no separator divides the graph, as in complete ones.
  /// Returns early, and then anything, once `cancelled` is set.
  Separation find(const WeightedGraph& graph, std::uint64_t seed, int attempts = 3);

 private:
  std::vector<CoarseGraph> hierarchy(const WeightedGraph& graph) const;
  Separation best_grown(const WeightedGraph& graph, std::uint64_t seed, int attempts);

  SeparationCost cost_;
  const std::atomic<bool>& cancelled_;
  SeparatorRefinement refinement_;
};

}  // namespace espalier::internal
