// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/dissection/coarsening.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace espalier::internal {

namespace {

constexpr Index unmatched = -1;

class Matching {
 public:
  Matching(const WeightedGraph& graph, Index heaviest, const VertexBlocks& blocks)
      : graph_(graph),
        heaviest_(heaviest),
        blocks_(blocks),
        mate_(graph.n(), unmatched),
        leaders_(blocks.count()),
        edges_across_(blocks.count(), 0) {
    for (Index block = 0; block < blocks.count(); ++block) {
      leaders_[block] = blocks.last(block) - blocks.first(block);
    }
  }

  template <bool unit_edges>
  void match_neighbours() {
    for (Index v = 0; v < graph_.n(); ++v) {
      if (mate_[v] != unmatched) continue;
      const Index u = heaviest_free_neighbour<unit_edges>(v);
      if (u != unmatched) join(v, u);
    }
  }

  /// Merges free vertices that share a neighbour: a free vertex waits at its neighbours for the
  /// next free one. Vertices without neighbours are merged with each other.
  void match_at_distance_two();

  /// Returns the number of pairs and single vertices whose smaller members are in each block.
  const std::vector<Index>& leaders() const { return leaders_; }
  Index pairs() const {
    Index single = graph_.n();
    for (const Index leaders : leaders_) single -= leaders;
    return single;
  }
  Index mate(Index v) const { return mate_[v]; }
  /// Returns the number of edges of the larger members in other blocks whose mates are in a block.
  Index edges_across(Index block) const { return edges_across_[block]; }
  /// Calls f(larger, smaller) for pairs in different blocks.
  template <typename Function>
  void for_each_across(Function f) const {
    for (const auto& [v, u] : across_) f(std::max(v, u), std::min(v, u));
  }

 private:
  /// Returns the free neighbour of v to which the heaviest edge leads, or `unmatched` if all
  /// neighbours are merged or too heavy.
  template <bool unit_edges>
  Index heaviest_free_neighbour(Index v) const {
    const Index capacity = heaviest_ - graph_.weight[v];
    Index best = unmatched;
    Index best_weight = 0;
    for (Index e = graph_.begin[v]; e < graph_.begin[v + 1]; ++e) {
      const Index u = graph_.neighbour[e];
      if (mate_[u] != unmatched || graph_.weight[u] > capacity) continue;
      if constexpr (unit_edges) return u;
      if (graph_.edge_weight[e] > best_weight) {
        best_weight = graph_.edge_weight[e];
        best = u;
      }
    }
    return best;
  }

  void join(Index v, Index u) {
    mate_[v] = u;
    mate_[u] = v;
    const Index block = blocks_.of(std::max(v, u));
    --leaders_[block];
    const Index other = blocks_.of(std::min(v, u));
    if (block == other) return;
    across_.emplace_back(v, u);
    edges_across_[other] += static_cast<Index>(graph_.of(std::max(v, u)).size());
  }

  const WeightedGraph& graph_;
  const Index heaviest_;
  const VertexBlocks& blocks_;
  UninitializedVector<Index> mate_;
  std::vector<Index> leaders_;
  std::vector<std::pair<Index, Index>> across_;  ///< pairs in different blocks
  std::vector<Index> edges_across_;
};

void Matching::match_at_distance_two() {
  std::vector<Index> waiting(graph_.n(), unmatched);
  Index lonely = unmatched;
  const auto try_join = [&](Index v, Index u) {
    const bool free = u != unmatched && mate_[u] == unmatched;
    if (!free || graph_.weight[u] > heaviest_ - graph_.weight[v]) return false;
    join(v, u);
    return true;
  };
  for (Index v = 0; v < graph_.n(); ++v) {
    if (mate_[v] != unmatched) continue;
    for (const Index hub : graph_.of(v)) {
      if (try_join(v, waiting[hub])) break;
      waiting[hub] = v;
    }
    if (graph_.of(v).empty() && !try_join(v, lonely)) lonely = v;
  }
}

template <bool unit_edges>
Matching matched(const WeightedGraph& graph, Index heaviest, const VertexBlocks& blocks) {
  Matching matching(graph, heaviest, blocks);
  matching.match_neighbours<unit_edges>();
  if (matching.pairs() < graph.n() / 3) matching.match_at_distance_two();
  return matching;
}

/// Numbers pairs and single vertices in the order of their smaller members, so that neighbours stay
/// close.
UninitializedVector<Index> numbered(const Matching& matching, const VertexBlocks& blocks, Index n,
                                    const ParallelLoop& loop) {
  std::vector<Index> next(blocks.count(), 0);
  for (Index block = 1; block < blocks.count(); ++block) {
    next[block] = next[block - 1] + matching.leaders()[block - 1];
  }
  UninitializedVector<Index> coarse_of(n);
  loop(blocks.count(), [&](Index block) {
    const Index first = blocks.first(block);
    Index coarse = next[block];
    for (Index v = first; v < blocks.last(block); ++v) {
      const Index u = matching.mate(v);
      if (u == unmatched || u > v) {
        coarse_of[v] = coarse++;
      } else if (u >= first) {
        coarse_of[v] = coarse_of[u];
      }
    }
  });
  matching.for_each_across([&](Index v, Index u) { coarse_of[v] = coarse_of[u]; });
  return coarse_of;
}

/// Writes the lists of consecutive coarse vertices one after the other, and sums parallel edges.
class Contraction {
 public:
  Contraction(const WeightedGraph& fine, const UninitializedVector<Index>& coarse_of)
      : fine_(fine), coarse_of_(coarse_of), slot_(smallest_table, empty) {}

  /// Allocates memory for this number of coarse vertices with at most this number of edges.
  void reserve(Index vertices, Index edges) {
    graph_.begin.resize(vertices + 1);
    graph_.weight.resize(vertices);
    graph_.neighbour.resize(edges);
    graph_.edge_weight.resize(edges);
  }

  /// Adds the coarse vertex of v and its mate u, or of v alone.
  template <bool unit_edges>
  void add(Index v, Index u) {
    list_begin_ = end_;
    grow_table(degree(v) + (u == unmatched ? 0 : degree(u)));
    const Index self = coarse_of_[v];
    add_edges<unit_edges>(v, self);
    Index weight = fine_.weight[v];
    if (u != unmatched) {
      add_edges<unit_edges>(u, self);
      weight += fine_.weight[u];
    }
    graph_.weight[n_++] = weight;
    graph_.begin[n_] = end_;
    graph_.total_weight += weight;
  }

  WeightedGraph finish() {
    graph_.neighbour.resize(end_);
    graph_.edge_weight.resize(end_);
    return std::move(graph_);
  }

 private:
  static constexpr Index smallest_table = 256;
  static constexpr Index empty = -1;

  Index degree(Index v) const { return fine_.begin[v + 1] - fine_.begin[v]; }

  void grow_table(Index edges) {
    if (2 * Count{edges} <= std::ssize(slot_)) return;
    std::size_t size = slot_.size();
    while (static_cast<Count>(size) < 2 * Count{edges}) size *= 2;
    slot_.assign(size, empty);
  }

  template <bool unit_edges>
  void add_edges(Index v, Index self) {
    const auto mask = static_cast<Index>(slot_.size() - 1);
    Index* const neighbour = graph_.neighbour.data();
    Index* const edge_weight = graph_.edge_weight.data();
    for (Index e = fine_.begin[v]; e < fine_.begin[v + 1]; ++e) {
      const Index c = coarse_of_[fine_.neighbour[e]];
      if (c == self) continue;
      const Index edge = unit_edges ? 1 : fine_.edge_weight[e];
      Index at = c & mask;
      while (slot_[at] >= list_begin_ && neighbour[slot_[at]] != c) at = (at + 1) & mask;
      if (slot_[at] >= list_begin_) {
        edge_weight[slot_[at]] += edge;
        continue;
      }
      slot_[at] = end_;
      neighbour[end_] = c;
      edge_weight[end_++] = edge;
    }
  }

  const WeightedGraph& fine_;
  const UninitializedVector<Index>& coarse_of_;
  /// Hash table with the positions of the neighbours of the current vertex. Positions before
  /// `list_begin_` are those of earlier vertices and count as empty.
  std::vector<Index> slot_;
  WeightedGraph graph_;
  Index n_ = 0;
  Index list_begin_ = 0;
  Index end_ = 0;
};

/// Returns the coarse vertices whose smaller members are in a block.
template <bool unit_edges>
WeightedGraph contracted(const WeightedGraph& graph, const Matching& matching,
                         const UninitializedVector<Index>& coarse_of, const VertexBlocks& blocks,
                         Index block) {
  const Index first = blocks.first(block);
  const Index last = blocks.last(block);
  Contraction contraction(graph, coarse_of);
  contraction.reserve(matching.leaders()[block],
                      graph.begin[last] - graph.begin[first] + matching.edges_across(block));
  for (Index v = first; v < last; ++v) {
    const Index u = matching.mate(v);
    if (u == unmatched || u > v) contraction.add<unit_edges>(v, u);
  }
  return contraction.finish();
}

template <bool unit_edges>
CoarseGraph coarsened(const WeightedGraph& graph, Index heaviest, const ParallelLoop& loop) {
  const VertexBlocks blocks(graph.n());
  const Matching matching = matched<unit_edges>(graph, heaviest, blocks);
  CoarseGraph result;
  result.coarse_of = numbered(matching, blocks, graph.n(), loop);
  std::vector<WeightedGraph> pieces(blocks.count());
  loop(blocks.count(), [&](Index block) {
    pieces[block] = contracted<unit_edges>(graph, matching, result.coarse_of, blocks, block);
  });
  result.graph = joined(std::move(pieces), loop);
  return result;
}

}  // namespace

CoarseGraph coarsen(const WeightedGraph& graph, Index heaviest, const ParallelLoop& loop) {
  return graph.edge_weight.empty() ? coarsened<true>(graph, heaviest, loop)
                                   : coarsened<false>(graph, heaviest, loop);
}

}  // namespace espalier::internal
