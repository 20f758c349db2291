// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/column_counts.hpp"

#include <numeric>

#include "ordering/ordering.hpp"

namespace espalier::internal {
namespace {

/// Returns the root of the tree of v in a union-find forest, and halves the path to it.
Index find_root(std::vector<Index>& link, Index v) {
  while (link[v] != v) {
    link[v] = link[link[v]];
    v = link[v];
  }
  return v;
}

}  // namespace

std::vector<Index> column_counts(const EliminationOrder& order) {
  const Index n = order.size();
  const std::vector<Index> first = first_descendants(order.parent);
  std::vector<Index> last_leaf(n, -1);  // last leaf of the row subtree of each vertex of the graph
  std::vector<Index> link(n);
  std::iota(link.begin(), link.end(), 0);

  // Until the last loop, count[v] is a difference. Its sum over the subtree of v is the count.
  std::vector<Index> count(n);
  for (Index v = 0; v < n; ++v) count[v] = first[v] == v ? order.weight[v] : 0;
  for (Index v = 0; v < n; ++v) {
    for (const Index u : order.graph.later(order.postorder.old_of[v])) {
      const Index previous = last_leaf[u];
      if (previous >= first[v]) continue;  // v is not a leaf of the row subtree of u
      const Index weight = order.weight[order.postorder.new_of[u]];
      count[v] += weight;
      if (previous != -1) count[find_root(link, previous)] -= weight;
      last_leaf[u] = v;
    }
    if (order.parent[v] != -1) {
      count[order.parent[v]] -= order.weight[v];
      link[v] = order.parent[v];
    }
  }
  for (Index v = 0; v < n; ++v) {
    if (order.parent[v] != -1) count[order.parent[v]] += count[v];
  }
  return count;
}

CountedOrder counted_order(const CompressedGraph& graph, const Permutation& ordering,
                           Index workers) {
  CountedOrder result{elimination_order(graph, ordering, workers), {}};
  result.count = column_counts(result.order);
  return result;
}

OrderingCost trapezoid_cost(Index height, Index width) {
  // Sums of w numbers from h downwards, and of their squares; exact as long as doubles are.
  const double h = height;
  const double w = width;
  return {w * h * h - h * w * (w - 1) + w * (w - 1) * (2 * w - 1) / 6, w * h - w * (w - 1) / 2};
}

OrderingCost factorization_cost(std::span<const Index> column_count,
                                std::span<const Index> weight) {
  OrderingCost cost;
  for (std::size_t v = 0; v < column_count.size(); ++v) {
    const OrderingCost of_vertex = trapezoid_cost(column_count[v], weight[v]);
    cost.entries += of_vertex.entries;
    cost.flops += of_vertex.flops;
  }
  return cost;
}

OrderingCost factorization_cost(const CountedOrder& counted) {
  return factorization_cost(counted.count, counted.order.weight);
}

}  // namespace espalier::internal
