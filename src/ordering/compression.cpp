// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/compression.hpp"

#include <cstdint>
#include <utility>

namespace espalier {

namespace {

/// A random-looking value for a vertex; sums of them tell sets apart (multiplier: golden ratio,
/// 2^64 / phi).
std::uint64_t scrambled(Index v) {
  const std::uint64_t product = (static_cast<std::uint64_t>(v) + 1) * 0x9e3779b97f4a7c15U;
  return (product ^ (product >> 29)) * 0xbf58476d1ce4e5b9U;
}

/// A value that indistinguishable vertices share.
std::vector<std::uint32_t> neighbourhood_hashes(const AdjacencyGraph& graph) {
  std::vector<std::uint32_t> hash(graph.n);
  for (Index v = 0; v < graph.n; ++v) {
    std::uint64_t sum = scrambled(v);
    for (const Index w : graph.of(v)) {
      sum += scrambled(w);
    }
    hash[v] = static_cast<std::uint32_t>(sum >> 32);
  }
  return hash;
}

/// Whether the closed neighbourhoods of the adjacent vertices v and w are equal.
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

/// The smallest vertex that each vertex is indistinguishable from.
std::vector<Index> smallest_twins(const AdjacencyGraph& graph) {
  const auto hash = neighbourhood_hashes(graph);
  std::vector<Index> twin(graph.n, -1);
  for (Index v = 0; v < graph.n; ++v) {
    if (twin[v] >= 0) {
      continue;
    }
    twin[v] = v;
    for (const Index w : graph.of(v)) {
      if (w > v && hash[w] == hash[v] && twin[w] < 0 && indistinguishable(graph, v, w)) {
        twin[w] = v;
      }
    }
  }
  return twin;
}

/// Sorts the vertices by merged vertex; `merged_of` numbers the merged vertices.
void fill_members(CompressedGraph& compressed, const std::vector<Index>& merged_of) {
  compressed.member_begin.resize(compressed.weight.size() + 1);
  for (std::size_t c = 0; c < compressed.weight.size(); ++c) {
    compressed.member_begin[c + 1] = compressed.member_begin[c] + compressed.weight[c];
  }
  std::vector<Index> end(compressed.member_begin.begin(), compressed.member_begin.end() - 1);
  compressed.member.resize(merged_of.size());
  for (std::size_t v = 0; v < merged_of.size(); ++v) {
    compressed.member[end[merged_of[v]]++] = static_cast<Index>(v);
  }
}

/// The merged vertex of which each original one is the smallest member, -1 where of none.
std::vector<Index> numbers_of_leaders(const CompressedGraph& compressed) {
  std::vector<Index> led(compressed.member.size(), -1);
  for (Index c = 0; c < static_cast<Index>(compressed.weight.size()); ++c) {
    led[compressed.members(c).front()] = c;
  }
  return led;
}

/// All members see the same merged vertices, and see each of these by its smallest member too.
void merge_edges(CompressedGraph& compressed, const AdjacencyGraph& graph,
                 const std::vector<Index>& led) {
  AdjacencyGraph& merged = compressed.graph;
  merged.n = static_cast<Index>(compressed.weight.size());
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
}

}  // namespace

CompressedGraph compress(const AdjacencyGraph& graph) {
  const auto twin = smallest_twins(graph);
  CompressedGraph compressed;
  std::vector<Index> merged_of(graph.n);
  for (Index v = 0; v < graph.n; ++v) {
    if (twin[v] == v) {
      merged_of[v] = static_cast<Index>(compressed.weight.size());
      compressed.weight.push_back(0);
    } else {
      merged_of[v] = merged_of[twin[v]];
    }
    ++compressed.weight[merged_of[v]];
  }
  fill_members(compressed, merged_of);

  merge_edges(compressed, graph, numbers_of_leaders(compressed));
  return compressed;
}

Permutation expand(const CompressedGraph& compressed, std::span<const Index> order) {
  std::vector<Index> old_of;
  old_of.reserve(compressed.member.size());
  for (const Index c : order) {
    const auto members = compressed.members(c);
    old_of.insert(old_of.end(), members.begin(), members.end());
  }
  return Permutation::from_old_of(std::move(old_of));
}

Permutation contract(const CompressedGraph& compressed, const Permutation& permutation) {
  std::vector<Index> order;
  order.reserve(compressed.weight.size());
  const auto led = numbers_of_leaders(compressed);
  for (const Index v : permutation.old_of) {
    if (led[v] >= 0) {
      order.push_back(led[v]);
    }
  }
  return Permutation::from_old_of(std::move(order));
}

}  // namespace espalier
