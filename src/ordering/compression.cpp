// SPDX-License-Identifier: BSD-3-Clause

#include "ordering/compression.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "base/uninitialized.hpp"

namespace espalier::internal {

namespace {

/// Returns a pseudorandom value for a vertex. Sums of these values distinguish sets of vertices.
/// The multiplier is 2^64 divided by the golden ratio.
std::uint64_t scrambled(Index v) {
  const std::uint64_t product = (static_cast<std::uint64_t>(v) + 1) * 0x9e3779b97f4a7c15U;
  return (product ^ (product >> 29)) * 0xbf58476d1ce4e5b9U;
}

constexpr Index vertices_a_range = 5'000;

/// Returns a hash per vertex. Indistinguishable vertices have equal hashes.
UninitializedVector<std::uint32_t> neighbourhood_hashes(const AdjacencyGraph& graph,
                                                        Index workers) {
  UninitializedVector<std::uint32_t> hash(graph.n);
  parallel_ranges(graph.n, vertices_a_range, workers, [&](Index first, Index last) {
    for (Index v = first; v < last; ++v) {
      std::uint64_t sum = scrambled(v);
      for (const Index w : graph.of(v)) sum += scrambled(w);
      hash[v] = static_cast<std::uint32_t>(sum >> 32);
    }
  });
  return hash;
}

/// Returns whether the closed neighbourhoods of the adjacent vertices v and w are equal.
bool indistinguishable(const AdjacencyGraph& graph, Index v, Index w) {
  const auto of_v = graph.of(v);
  const auto of_w = graph.of(w);
  if (of_v.size() != of_w.size()) {
    return false;
  }
  auto at_w = of_w.begin();
  for (const Index neighbour : of_v) {
    if (neighbour == w) {
      continue;
    }
    if (*at_w == v) {
      ++at_w;
    }
    if (*at_w != neighbour) {
      return false;
    }
    ++at_w;
  }
  return true;
}

/// Returns for each vertex the smallest vertex that is indistinguishable from it.
std::vector<Index> smallest_twins(const AdjacencyGraph& graph, Index workers) {
  const auto hash = neighbourhood_hashes(graph, workers);
  std::vector<Index> twin(graph.n);
  parallel_ranges(graph.n, vertices_a_range, workers, [&](Index first, Index last) {
    for (Index w = first; w < last; ++w) {
      twin[w] = w;
      for (const Index v : graph.of(w)) {
        if (v > w) break;
        if (hash[v] != hash[w] || !indistinguishable(graph, v, w)) continue;
        twin[w] = v;
        break;
      }
    }
  });
  return twin;
}

/// Sorts the vertices by merged vertex. `merged_of` has the number of each vertex's merged vertex.
void fill_members(CompressedGraph& compressed, const std::vector<Index>& merged_of) {
  std::vector<Index> end;
  end.reserve(compressed.weight.size());
  compressed.member_begin.reserve(compressed.weight.size() + 1);
  for (const Index weight : compressed.weight) {
    end.push_back(compressed.member_begin.back());
    compressed.member_begin.push_back(end.back() + weight);
  }
  compressed.member.resize(merged_of.size());
  for (std::size_t v = 0; v < merged_of.size(); ++v) {
    compressed.member[end[merged_of[v]]++] = static_cast<Index>(v);
  }
}

/// Returns the edges between merged vertices. Reads only the smallest member of each merged vertex,
/// because all its members have the same merged neighbours.
AdjacencyGraph merged_edges(const CompressedGraph& compressed, const AdjacencyGraph& graph) {
  std::vector<Index> led(graph.n, -1);  // for each smallest member, its merged vertex
  AdjacencyGraph merged;
  merged.n = static_cast<Index>(compressed.weight.size());
  for (Index c = 0; c < merged.n; ++c) led[compressed.members(c).front()] = c;
  merged.begin.reserve(Count{merged.n} + 1);
  merged.neighbour.resize(graph.neighbour.size());
  Count end = 0;
  for (Index c = 0; c < merged.n; ++c) {
    for (const Index w : graph.of(compressed.members(c).front())) {
      merged.neighbour[end] = led[w];
      end += led[w] >= 0 ? 1 : 0;
    }
    merged.begin.push_back(end);
  }
  merged.neighbour.resize(end);
  merged.neighbour.shrink_to_fit();
  return merged;
}

}  // namespace

CompressedGraph compress(AdjacencyGraph graph, Index workers) {
  std::vector<Index> merged_of = smallest_twins(graph, workers);
  CompressedGraph compressed;
  for (Index v = 0; v < graph.n; ++v) {
    if (merged_of[v] == v) {
      merged_of[v] = static_cast<Index>(compressed.weight.size());
      compressed.weight.push_back(0);
    } else {
      merged_of[v] = merged_of[merged_of[v]];
    }
    ++compressed.weight[merged_of[v]];
  }
  if (static_cast<Index>(compressed.weight.size()) == graph.n) {
    return uncompressed(std::move(graph));
  }
  fill_members(compressed, merged_of);
  compressed.graph = merged_edges(compressed, graph);
  return compressed;
}

CompressedGraph uncompressed(AdjacencyGraph graph) {
  const Index n = graph.n;
  std::vector<Index> vertices(Count{n} + 1);
  std::iota(vertices.begin(), vertices.end(), 0);
  CompressedGraph result;
  result.graph = std::move(graph);
  result.weight.assign(n, 1);
  result.member.assign(vertices.begin(), vertices.end() - 1);
  result.member_begin = std::move(vertices);
  return result;
}

AdjacencyGraph expanded(const CompressedGraph& compressed) {
  AdjacencyGraph graph;
  graph.n = static_cast<Index>(compressed.member.size());
  graph.begin.reserve(Count{graph.n} + 1);
  const auto& begin = compressed.member_begin;
  for (Index c = 0; c < compressed.graph.n; ++c) {
    for (Index v = begin[c]; v < begin[c + 1]; ++v) {
      const auto add_members = [&](Index merged) {
        for (Index u = begin[merged]; u < begin[merged + 1]; ++u) {
          if (u != v) graph.neighbour.push_back(u);
        }
      };
      const auto merged = compressed.graph.of(c);
      const auto larger = std::lower_bound(merged.begin(), merged.end(), c);
      std::for_each(merged.begin(), larger, add_members);
      add_members(c);
      std::for_each(larger, merged.end(), add_members);
      graph.begin.push_back(static_cast<Count>(graph.neighbour.size()));
    }
  }
  return graph;
}

Permutation contract(const CompressedGraph& compressed, const Permutation& permutation) {
  std::vector<Index> merged_of(compressed.member.size());
  for (Index c = 0; c < compressed.graph.n; ++c) {
    for (const Index v : compressed.members(c)) merged_of[v] = c;
  }
  std::vector<Index> order;
  order.reserve(compressed.weight.size());
  std::vector<bool> met(compressed.weight.size(), false);
  for (const Index v : permutation.old_of) {
    const Index c = merged_of[v];
    if (!met[c]) order.push_back(c);
    met[c] = true;
  }
  return Permutation::from_old_of(std::move(order));
}

namespace {

/// Returns for each row v whether some column left of v has only one of the rows v and v + 1. A run
/// of consecutive rows of this column then begins or ends between v and v + 1.
std::vector<std::uint8_t> separated_by_columns(const PatternView& pattern) {
  std::vector<std::uint8_t> separated(Count{pattern.n} + 1, 0);
  for (Index j = 0; j < pattern.n; ++j) {
    Index last = j;
    for (const Index i : pattern.column(j).subspan(1)) {
      if (i != last + 1) {
        if (last != j) separated[last] = 1;
        separated[i - 1] = 1;
      }
      last = i;
    }
    if (last != j) separated[last] = 1;
  }
  return separated;
}

/// Returns whether column v has, below its diagonal, exactly the rows of column v + 1.
bool same_below(const PatternView& pattern, Index v) {
  const auto of_v = pattern.column(v).subspan(1);
  const auto of_next = pattern.column(v + 1);
  return std::equal(of_v.begin(), of_v.end(), of_next.begin(), of_next.end());
}

/// Returns the pattern with one column and one row per group.
LowerPattern leading_pattern(const PatternView& pattern, const std::vector<Index>& group_begin) {
  std::vector<Index> led(pattern.n, -1);
  LowerPattern result;
  result.n = static_cast<Index>(group_begin.size()) - 1;
  for (Index g = 0; g < result.n; ++g) led[group_begin[g]] = g;
  result.column_begin.reserve(group_begin.size());
  for (Index g = 0; g < result.n; ++g) {
    for (const Index i : pattern.column(group_begin[g])) {
      if (led[i] >= 0) result.row.push_back(led[i]);
    }
    result.column_begin.push_back(static_cast<Count>(result.row.size()));
  }
  return result;
}

/// Replaces each group in the member lists by its columns: column(k) for group_begin[g] <= k <
/// group_begin[g + 1].
template <typename Column>
void expand_members(CompressedGraph& compressed, const std::vector<Index>& group_begin,
                    Column column) {
  std::vector<Index> member;
  member.reserve(group_begin.back());
  std::vector<Index> member_begin{0};
  member_begin.reserve(compressed.member_begin.size());
  for (Index c = 0; c < compressed.graph.n; ++c) {
    for (const Index g : compressed.members(c)) {
      for (Index k = group_begin[g]; k < group_begin[g + 1]; ++k) member.push_back(column(k));
    }
    member_begin.push_back(static_cast<Index>(member.size()));
    compressed.weight[c] = member_begin[c + 1] - member_begin[c];
  }
  compressed.member = std::move(member);
  compressed.member_begin = std::move(member_begin);
}

/// Makes one merged vertex of each pair and of each single vertex, without edges.
CompressedGraph paired_vertices(MatchedColumns matched) {
  const std::vector<Index>& partner = matched.partner;
  CompressedGraph pairs;
  pairs.member.reserve(partner.size());
  for (std::size_t k = 0; k < partner.size(); ++k) {
    const auto v = static_cast<Index>(k);
    if (partner[v] < v) continue;
    pairs.member.push_back(v);
    if (partner[v] > v) pairs.member.push_back(partner[v]);
    pairs.weight.push_back(partner[v] > v ? 2 : 1);
    pairs.member_begin.push_back(static_cast<Index>(pairs.member.size()));
  }
  pairs.matched = std::move(matched);
  return pairs;
}

/// Edges between merged vertices. Several edges of members make one edge.
class MergedEdges {
 public:
  MergedEdges(const CompressedGraph& merged, const AdjacencyGraph& graph)
      : merged_(merged), graph_(graph), merged_of_(static_cast<std::size_t>(graph.n)) {
    for (Index c = 0; c < vertices(); ++c) {
      for (const Index v : merged.members(c)) merged_of_[v] = c;
    }
  }

  /// Returns the graph. Vertex c enters itself in the lists of its neighbours, in ascending order
  /// of c, so that the lists are sorted.
  AdjacencyGraph collect() {
    AdjacencyGraph result;
    result.n = vertices();
    result.begin.assign(static_cast<std::size_t>(result.n) + 1, 0);
    for_each_edge([&](Index, Index neighbour) { ++result.begin[neighbour + 1]; });
    std::partial_sum(result.begin.begin(), result.begin.end(), result.begin.begin());
    result.neighbour.resize(static_cast<std::size_t>(result.begin.back()));
    std::vector<Count> next(result.begin.begin(), result.begin.end() - 1);
    for_each_edge([&](Index c, Index neighbour) { result.neighbour[next[neighbour]++] = c; });
    return result;
  }

 private:
  Index vertices() const { return static_cast<Index>(merged_.weight.size()); }

  /// Calls f(c, neighbour) once for every neighbour of every merged vertex c.
  template <typename Function>
  void for_each_edge(Function f) const {
    std::vector<Index> met_by(merged_.weight.size(), -1);
    for (Index c = 0; c < vertices(); ++c) {
      met_by[c] = c;
      for (const Index v : merged_.members(c)) {
        for (const Index w : graph_.of(v)) {
          const Index neighbour = merged_of_[w];
          if (std::exchange(met_by[neighbour], c) != c) f(c, neighbour);
        }
      }
    }
  }

  const CompressedGraph& merged_;
  const AdjacencyGraph& graph_;
  std::vector<Index> merged_of_;
};

CompressedGraph merged_pairs(const AdjacencyGraph& graph, MatchedColumns matched) {
  CompressedGraph pairs = paired_vertices(std::move(matched));
  pairs.graph = MergedEdges(pairs, graph).collect();
  return pairs;
}

/// Returns the relations in which single columns and their single predecessors are pairs.
MatchedColumns with_more_pairs(const MatchedColumns& matched) {
  MatchedColumns more{matched.partner, std::vector<Index>(matched.predecessor.size(), -1)};
  for (std::size_t k = 0; k < matched.predecessor.size(); ++k) {
    const auto j = static_cast<Index>(k);
    const Index i = matched.predecessor[j];
    if (i < 0 || more.partner[i] != i) continue;
    more.partner[i] = j;
    more.partner[j] = i;
  }
  return more;
}

/// Returns the number of columns that have a predecessor.
Index followers(const MatchedColumns& matched) {
  return static_cast<Index>(
      std::ranges::count_if(matched.predecessor, [](Index i) { return i >= 0; }));
}

}  // namespace

CompressedGraph merge_pairs(const PatternView& pattern, MatchedColumns matched, Index workers) {
  constexpr double few_edges = 0.45;
  const AdjacencyGraph graph = adjacency(pattern, workers);
  MatchedColumns more;
  // Fewer pairs cannot save enough edges, except in rare graphs.
  if (Count{3} * followers(matched) > graph.n) more = with_more_pairs(matched);
  CompressedGraph pairs = merged_pairs(graph, std::move(matched));
  if (more.partner.empty()) return pairs;
  CompressedGraph merged = merged_pairs(graph, std::move(more));
  const auto edges = [](const CompressedGraph& g) { return std::ssize(g.graph.neighbour); };
  return static_cast<double>(edges(merged)) < few_edges * static_cast<double>(edges(pairs))
             ? std::move(merged)
             : std::move(pairs);
}

CompressedGraph compress(CompressedGraph graph, Index workers) {
  CompressedGraph compressed = compress(std::move(graph.graph), workers);
  expand_members(compressed, graph.member_begin, [&](Index k) { return graph.member[k]; });
  compressed.matched = std::move(graph.matched);
  return compressed;
}

std::vector<Index> consecutive_groups(const PatternView& pattern) {
  const auto separated = separated_by_columns(pattern);
  std::vector<Index> begin{0};
  for (Index v = 1; v < pattern.n; ++v) {
    if (separated[v - 1] || !same_below(pattern, v - 1)) begin.push_back(v);
  }
  if (pattern.n > 0) begin.push_back(pattern.n);
  return begin;
}

CompressedGraph compress(const PatternView& pattern, Index workers) {
  const std::vector<Index> group_begin = consecutive_groups(pattern);
  if (static_cast<Index>(group_begin.size()) == pattern.n + 1) {
    return compress(adjacency(pattern, workers), workers);
  }
  CompressedGraph compressed =
      compress(adjacency(leading_pattern(pattern, group_begin), workers), workers);
  expand_members(compressed, group_begin, [](Index k) { return k; });
  return compressed;
}

}  // namespace espalier::internal
