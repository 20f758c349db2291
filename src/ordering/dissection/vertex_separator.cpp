// SPDX-License-Identifier: BSD-3-Clause

#include "ordering/dissection/vertex_separator.hpp"

#include <algorithm>
#include <utility>

namespace espalier::internal {

namespace {

constexpr Index coarsest_size = 100;

void project(Separation& separation, const UninitializedVector<Index>& coarse_of,
             const ParallelLoop& loop) {
  std::vector<std::uint8_t> fine(coarse_of.size());
  const VertexBlocks blocks(static_cast<Index>(coarse_of.size()));
  loop(blocks.count(), [&](Index block) {
    for (Index v = blocks.first(block); v < blocks.last(block); ++v) {
      fine[v] = separation.part[coarse_of[v]];
    }
  });
  separation.part = std::move(fine);
}

}  // namespace

std::uint64_t next_seed(std::uint64_t seed) {
  // Increment and finalizer of Steele, Lea, Flood, "Fast splittable pseudorandom number
  // generators", 2014.
  seed += 0x9e3779b97f4a7c15U;
  seed = (seed ^ (seed >> 30)) * 0xbf58476d1ce4e5b9U;
  seed = (seed ^ (seed >> 27)) * 0x94d049bb133111ebU;
  return seed ^ (seed >> 31);
}

/// Returns coarser and coarser graphs, until one is small, or hardly smaller than the one before.
std::vector<CoarseGraph> SeparatorFinder::hierarchy(const WeightedGraph& graph) const {
  const Index heaviest = std::max<Index>(2, graph.total_weight / coarsest_size / 2 * 3);
  std::vector<CoarseGraph> levels;
  const WeightedGraph* finest = &graph;
  while (finest->n() > coarsest_size && !cancelled_) {
    CoarseGraph next = coarsen(*finest, heaviest, loop_);
    if (next.graph.n() > 0.9 * finest->n()) break;
    levels.push_back(std::move(next));
    finest = &levels.back().graph;
  }
  return levels;
}

Separation SeparatorFinder::best_grown(const WeightedGraph& graph, std::uint64_t seed,
                                       int attempts) {
  Separation best;
  for (int k = 0; k < attempts; ++k) {
    seed = next_seed(seed);
    Separation grown = refinement_.grow(graph, static_cast<Index>(seed % graph.n()));
    refinement_.refine(graph, grown);
    if (k == 0 || cost_.of(grown) < cost_.of(best)) best = std::move(grown);
  }
  return best;
}

Separation SeparatorFinder::find(const WeightedGraph& graph, std::uint64_t seed, int attempts) {
  std::vector<CoarseGraph> levels = hierarchy(graph);
  if (cancelled_) return {};
  Separation separation = best_grown(levels.empty() ? graph : levels.back().graph, seed, attempts);
  while (!levels.empty() && !cancelled_) {
    project(separation, levels.back().coarse_of, loop_);
    levels.pop_back();
    refinement_.refine(levels.empty() ? graph : levels.back().graph, separation);
  }
  return separation;
}

}  // namespace espalier::internal
