// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/etree.hpp"

#include <numeric>
#include <string>
#include <utility>

#include "espalier/error.hpp"

namespace espalier {

std::vector<Index> elimination_tree(const AdjacencyGraph& graph) {
  std::vector<Index> parent(graph.n, -1);
  std::vector<Index> ancestor(graph.n, -1);
  for (Index v = 0; v < graph.n; ++v) {
    for (const Index u : graph.of(v)) {
      if (u >= v) break;
      Index root = u;
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

namespace {

bool is_identity(const Permutation& permutation) {
  for (Index v = 0; v < permutation.size(); ++v) {
    if (permutation.new_of[v] != v) return false;
  }
  return true;
}

}  // namespace

EliminationOrder elimination_order(const AdjacencyGraph& graph, const Permutation& ordering) {
  if (ordering.size() != graph.n) {
    throw UsageError("an ordering of " + std::to_string(ordering.size()) +
                     " vertices was given for a graph of " + std::to_string(graph.n) +
                     ": pass one that orders this graph");
  }
  EliminationOrder result{ordering, permuted(graph, ordering), {}};
  result.parent = elimination_tree(result.graph);
  const Permutation post = postorder(result.parent);
  if (!is_identity(post)) {
    result.permutation = compose(ordering, post);
    result.graph = permuted(result.graph, post);
    result.parent = renumbered_forest(result.parent, post);
  }
  return result;
}

}  // namespace espalier
