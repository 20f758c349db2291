// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/etree.hpp"

#include <numeric>
#include <utility>

namespace espalier {

std::vector<Index> elimination_tree(const EliminationGraph& graph) {
  std::vector<Index> parent(graph.n, -1);
  std::vector<Index> ancestor(graph.n, -1);
  for (Index v = 0; v < graph.n; ++v) {
    for (Index root : graph.earlier(v)) {
      while (ancestor[root] != -1 && ancestor[root] != v) {
        root = std::exchange(ancestor[root], v);
      }
      if (ancestor[root] == -1) {
        ancestor[root] = v;
        parent[root] = v;
      }
    }
  }
  return parent;
}

Permutation postorder(std::span<const Index> parent) {
  const auto n = static_cast<Index>(parent.size());
  std::vector<Index> subtree_size(n, 1);
  for (Index v = 0; v < n; ++v) {
    if (parent[v] != -1) subtree_size[parent[v]] += subtree_size[v];
  }
  // Parents come before children when v descends, and each takes the end of the room that its
  // larger siblings left; `room_end` of v is where the room for its remaining children ends.
  std::vector<Index> room_end(n);
  Index forest_end = n;
  Permutation result{std::vector<Index>(n), std::vector<Index>(n)};
  for (Index v = n; v-- > 0;) {
    Index& end = parent[v] == -1 ? forest_end : room_end[parent[v]];
    const Index number = end - 1;
    end -= subtree_size[v];
    room_end[v] = number;
    result.new_of[v] = number;
    result.old_of[number] = v;
  }
  return result;
}

std::vector<Index> renumbered_forest(std::span<const Index> parent,
                                     const Permutation& permutation) {
  std::vector<Index> result(parent.size());
  for (Index v = 0; v < permutation.size(); ++v) {
    result[permutation.new_of[v]] = parent[v] == -1 ? -1 : permutation.new_of[parent[v]];
  }
  return result;
}

std::vector<Index> first_descendants(std::span<const Index> parent) {
  std::vector<Index> first(parent.size());
  std::iota(first.begin(), first.end(), 0);
  for (std::size_t v = 0; v < parent.size(); ++v) {
    if (parent[v] != -1 && first[v] < first[parent[v]]) first[parent[v]] = first[v];
  }
  return first;
}

EliminationOrder elimination_order(const CompressedGraph& graph, const Permutation& ordering,
                                   Index workers) {
  EliminationOrder order;
  order.graph = elimination_graph(graph.graph, ordering, workers);
  const std::vector<Index> parent = elimination_tree(order.graph);
  order.postorder = postorder(parent);
  order.parent = renumbered_forest(parent, order.postorder);
  order.weight.reserve(parent.size());
  for (const Index v : order.postorder.old_of) {
    order.weight.push_back(graph.weight[ordering.old_of[v]]);
  }
  return order;
}

}  // namespace espalier
