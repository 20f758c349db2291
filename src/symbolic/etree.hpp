// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "espalier/types.hpp"
#include "matrix/permutation.hpp"
#include "ordering/adjacency.hpp"

namespace espalier {

/// Parent of every vertex in the elimination forest of the graph in its own numbering, -1 at a
/// root. A parent is larger than its children. Cost O(edges log n), close to linear in practice.
/// Liu, "The role of elimination trees in sparse factorization", 1990, section 4 (path
/// compression).
std::vector<Index> elimination_tree(const AdjacencyGraph& graph, const Permutation& ordering);

/// The renumbering of a forest whose parents are larger than their children to a postorder: a
/// subtree becomes a range that ends with its root. Siblings keep their order, so that a
/// postordered forest gives the identity. Cost O(n).
Permutation postorder(std::span<const Index> parent);

/// Parents in the numbering that `permutation` leads to.
std::vector<Index> renumbered_forest(std::span<const Index> parent, const Permutation& permutation);

/// A graph in an elimination order that is a postorder of its elimination forest.
struct EliminationOrder {
  Permutation permutation;  ///< from the numbering of the graph given
  AdjacencyGraph graph;
  std::vector<Index> parent;
};

/// Postorders an ordering: an equivalent one with the same fill, which everything after relies on.
/// Throws UsageError unless the ordering is of the size of the graph.
EliminationOrder elimination_order(const AdjacencyGraph& graph, const Permutation& ordering);

}  // namespace espalier
