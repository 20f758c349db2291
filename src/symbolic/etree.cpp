// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/etree.hpp"

#include <string>
#include <utility>

#include "espalier/error.hpp"

namespace espalier {

std::vector<Index> elimination_tree(const AdjacencyGraph& graph, const Permutation& ordering) {
  std::vector<Index> parent(graph.n, -1);
  std::vector<Index> ancestor(graph.n, -1);
  for (Index v = 0; v < graph.n; ++v) {
    for (const Index u : graph.of(ordering.old_of[v])) {
      Index root = ordering.new_of[u];
      if (root > v) continue;
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

EliminationOrder elimination_order(const AdjacencyGraph& graph, const Permutation& ordering) {
  if (ordering.size() != graph.n) {
    throw UsageError("an ordering of " + std::to_string(ordering.size()) +
                     " vertices was given for a graph of " + std::to_string(graph.n) +
                     ": pass one that orders this graph");
  }
  // The tree comes before the graph is renumbered, so that it is renumbered only once.
  const std::vector<Index> parent = elimination_tree(graph, ordering);
  const Permutation order = postorder(parent);
  Permutation permutation = compose(ordering, order);
  AdjacencyGraph renumbered = permuted(graph, permutation);
  return {std::move(permutation), std::move(renumbered), renumbered_forest(parent, order)};
}

}  // namespace espalier
