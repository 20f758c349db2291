// SPDX-License-Identifier: BSD-3-Clause

#include "ordering/dissection/vertex_separator.hpp"

#include <algorithm>
#include <utility>

namespace espalier::internal {

namespace {

constexpr Index none = -1;

/// Returns the free neighbour of v to which the heaviest edge leads, or `none` if all neighbours
/// are merged or too heavy.
template <bool unit_edges>
Index heaviest_free_neighbour(const WeightedGraph& graph, const std::vector<Index>& mate, Index v,
                              Index capacity) {
  Index best = none;
  Index best_weight = 0;
  for (Index e = graph.begin[v]; e < graph.begin[v + 1]; ++e) {
    const Index u = graph.neighbour[e];
    if (mate[u] != none || graph.weight[u] > capacity) continue;
    if constexpr (unit_edges) return u;
    if (graph.edge_weight[e] > best_weight) {
      best_weight = graph.edge_weight[e];
      best = u;
    }
  }
  return best;
}

struct Matching {
  std::vector<Index> mate;
  Index pairs = 0;

  explicit Matching(Index n) : mate(n, none) {}
  void join(Index v, Index u) {
    mate[v] = u;
    mate[u] = v;
    ++pairs;
  }
};

template <bool unit_edges>
void match_neighbours(const WeightedGraph& graph, Index heaviest, Matching& matching) {
  for (Index v = 0; v < graph.n(); ++v) {
    if (matching.mate[v] != none) continue;
    const Index capacity = heaviest - graph.weight[v];
    const Index u = heaviest_free_neighbour<unit_edges>(graph, matching.mate, v, capacity);
    if (u != none) matching.join(v, u);
  }
}

/// Merges free vertices that share a neighbour: a free vertex waits at its neighbours for the next
/// free one. Vertices without neighbours are merged with each other.
void match_at_distance_two(const WeightedGraph& graph, Index heaviest, Matching& matching) {
  std::vector<Index> waiting(graph.n(), none);
  Index lonely = none;
  const auto try_join = [&](Index v, Index u) {
    const bool free = u != none && matching.mate[u] == none;
    if (!free || graph.weight[u] > heaviest - graph.weight[v]) return false;
    matching.join(v, u);
    return true;
  };
  for (Index v = 0; v < graph.n(); ++v) {
    if (matching.mate[v] != none) continue;
    for (const Index hub : graph.of(v)) {
      if (try_join(v, waiting[hub])) break;
      waiting[hub] = v;
    }
    if (graph.of(v).empty() && !try_join(v, lonely)) lonely = v;
  }
}

/// Numbers pairs and single vertices in the order of their smaller members, so that neighbours stay
/// close.
std::vector<Index> numbered(const std::vector<Index>& mate) {
  std::vector<Index> coarse_of(mate.size());
  Index coarse = 0;
  for (Index v = 0; v < static_cast<Index>(mate.size()); ++v) {
    const bool second = mate[v] != none && mate[v] < v;
    coarse_of[v] = second ? coarse_of[mate[v]] : coarse++;
  }
  return coarse_of;
}

/// Writes the lists of coarse vertices one after the other, and sums parallel edges.
class Contraction {
 public:
  Contraction(const WeightedGraph& fine, const std::vector<Index>& coarse_of, Index coarse_n)
      : fine_(fine), coarse_of_(coarse_of), slot_(coarse_n, none) {
    graph_.begin.reserve(coarse_n + 1);
    graph_.weight.reserve(coarse_n);
    graph_.neighbour.resize(fine.neighbour.size());
    graph_.edge_weight.resize(fine.neighbour.size());
    graph_.total_weight = fine.total_weight;
  }

  /// Adds the edges of a member of the current coarse vertex.
  template <bool unit_edges>
  void add(Index v) {
    const Index list_begin = graph_.begin.back();
    const Index self = graph_.n();
    for (Index e = fine_.begin[v]; e < fine_.begin[v + 1]; ++e) {
      const Index c = coarse_of_[fine_.neighbour[e]];
      const Index edge = unit_edges ? 1 : fine_.edge_weight[e];
      if (slot_[c] >= list_begin) {
        graph_.edge_weight[slot_[c]] += edge;
      } else if (c != self) {
        slot_[c] = end_;
        graph_.neighbour[end_] = c;
        graph_.edge_weight[end_++] = edge;
      }
    }
  }
  void close(Index weight) {
    graph_.begin.push_back(end_);
    graph_.weight.push_back(weight);
  }
  WeightedGraph finish() {
    graph_.neighbour.resize(end_);
    graph_.edge_weight.resize(end_);
    return std::move(graph_);
  }

 private:
  const WeightedGraph& fine_;
  const std::vector<Index>& coarse_of_;
  std::vector<Index> slot_;  ///< position of each coarse vertex in the latest list that has it
  WeightedGraph graph_;
  Index end_ = 0;
};

template <bool unit_edges>
CoarseGraph coarsened(const WeightedGraph& graph, Index heaviest) {
  const Index n = graph.n();
  Matching matching(n);
  match_neighbours<unit_edges>(graph, heaviest, matching);
  if (matching.pairs < n / 3) match_at_distance_two(graph, heaviest, matching);
  CoarseGraph result;
  result.coarse_of = numbered(matching.mate);
  Contraction contraction(graph, result.coarse_of, n - matching.pairs);
  for (Index v = 0; v < n; ++v) {
    const Index u = matching.mate[v];
    if (u != none && u < v) continue;
    contraction.add<unit_edges>(v);
    if (u != none) contraction.add<unit_edges>(u);
    contraction.close(graph.weight[v] + (u == none ? 0 : graph.weight[u]));
  }
  result.graph = contraction.finish();
  return result;
}

}  // namespace

CoarseGraph coarsen(const WeightedGraph& graph, Index heaviest) {
  return graph.edge_weight.empty() ? coarsened<true>(graph, heaviest)
                                   : coarsened<false>(graph, heaviest);
}

namespace {

constexpr Index coarsest_size = 100;

void project(Separation& separation, const std::vector<Index>& coarse_of) {
  std::vector<std::uint8_t> fine(coarse_of.size());
  for (std::size_t v = 0; v < fine.size(); ++v) fine[v] = separation.part[coarse_of[v]];
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
    CoarseGraph next = coarsen(*finest, heaviest);
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
    project(separation, levels.back().coarse_of);
    levels.pop_back();
    refinement_.refine(levels.empty() ? graph : levels.back().graph, separation);
  }
  return separation;
}

}  // namespace espalier::internal
