// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/coarsening.hpp"

#include <utility>

namespace espalier {

namespace {

constexpr Index none = -1;

/// The free neighbour of v behind the heaviest edge, `none` where all are taken or too heavy.
template <bool unit_edges>
Index heaviest_free_neighbour(const WeightedGraph& graph, const std::vector<Index>& mate, Index v,
                              Index room) {
  Index best = none;
  Index best_weight = 0;
  for (Index e = graph.begin[v]; e < graph.begin[v + 1]; ++e) {
    const Index u = graph.neighbour[e];
    if (mate[u] != none || graph.weight[u] > room) continue;
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
    const Index room = heaviest - graph.weight[v];
    const Index u = heaviest_free_neighbour<unit_edges>(graph, matching.mate, v, room);
    if (u != none) matching.join(v, u);
  }
}

/// A free vertex waits at its neighbours for the next free one; one without neighbours, for any
/// such.
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

/// Numbers pairs and single vertices by their smaller members, so that neighbours stay close.
std::vector<Index> numbered(const std::vector<Index>& mate) {
  std::vector<Index> coarse_of(mate.size());
  Index coarse = 0;
  for (Index v = 0; v < static_cast<Index>(mate.size()); ++v) {
    const bool second = mate[v] != none && mate[v] < v;
    coarse_of[v] = second ? coarse_of[mate[v]] : coarse++;
  }
  return coarse_of;
}

/// Writes the lists of coarse vertices one after the other, parallel edges summed.
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

  /// Adds the edges of a member of the vertex whose list is open.
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
  std::vector<Index> slot_;  ///< where the open list, or an earlier one, holds a coarse vertex
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

}  // namespace espalier
