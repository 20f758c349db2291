// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/column_counts.hpp"

#include <numeric>

namespace espalier {
namespace {

/// Smallest descendant of every vertex of a postordered forest; of a leaf, the leaf itself.
std::vector<Index> first_descendants(std::span<const Index> parent) {
  std::vector<Index> first(parent.size());
  std::iota(first.begin(), first.end(), 0);
  for (std::size_t v = 0; v < parent.size(); ++v) {
    if (parent[v] != -1 && first[v] < first[parent[v]]) first[parent[v]] = first[v];
  }
  return first;
}

/// Root of the tree of v in a union-find forest; halves the path on its way.
Index find_root(std::vector<Index>& link, Index v) {
  while (link[v] != v) {
    link[v] = link[link[v]];
    v = link[v];
  }
  return v;
}

}  // namespace

std::vector<Index> column_counts(const EliminationOrder& order) {
  const Index n = order.graph.n;
  const std::vector<Index> first = first_descendants(order.parent);
  std::vector<Index> last_leaf(n, -1);  // of the row subtree of each vertex
  std::vector<Index> link(n);
  std::iota(link.begin(), link.end(), 0);

  // count[v] is a weight until the last loop: the sum over the subtree of v is the column count.
  std::vector<Index> count(n);
  for (Index v = 0; v < n; ++v) count[v] = first[v] == v ? 1 : 0;
  for (Index v = 0; v < n; ++v) {
    const auto neighbours = order.graph.of(v);
    for (auto u = neighbours.rbegin(); u != neighbours.rend() && *u > v; ++u) {
      const Index previous = last_leaf[*u];
      if (previous >= first[v]) continue;  // v is no leaf of the row subtree of *u
      ++count[v];
      if (previous != -1) --count[find_root(link, previous)];
      last_leaf[*u] = v;
    }
    if (order.parent[v] != -1) {
      --count[order.parent[v]];
      link[v] = order.parent[v];
    }
  }
  for (Index v = 0; v < n; ++v) {
    if (order.parent[v] != -1) count[order.parent[v]] += count[v];
  }
  return count;
}

OrderingCost factorization_cost(std::span<const Index> column_count) {
  OrderingCost cost;
  for (const Index count : column_count) {
    cost.entries += count;
    cost.flops += static_cast<double>(count) * count;
  }
  return cost;
}

OrderingCost predict_cost(const AdjacencyGraph& graph, const Permutation& ordering) {
  return factorization_cost(column_counts(elimination_order(graph, ordering)));
}

}  // namespace espalier
