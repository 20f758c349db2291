// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "espalier/types.hpp"
#include "matrix/permutation.hpp"
#include "ordering/compression.hpp"
#include "symbolic/elimination_graph.hpp"

namespace espalier {

/// Parent of every vertex in the elimination forest, -1 at a root. A parent is larger than its
/// children. Cost O(edges log n), close to linear in practice.
/// Liu, "The role of elimination trees in sparse factorization", 1990, section 4 (path
/// compression).
std::vector<Index> elimination_tree(const EliminationGraph& graph);

/// The renumbering of a forest whose parents are larger than their children to a postorder: a
/// subtree becomes a range that ends with its root. Siblings keep their order, so that a
/// postordered forest gives the identity. Cost O(n).
Permutation postorder(std::span<const Index> parent);

/// Parents in the numbering that `permutation` leads to.
std::vector<Index> renumbered_forest(std::span<const Index> parent, const Permutation& permutation);

/// Smallest descendant of every vertex of a postordered forest; of a leaf, the leaf itself.
std::vector<Index> first_descendants(std::span<const Index> parent);

/// A graph in an elimination order, and the postorder of its elimination forest: an equivalent
/// order with the same fill, in which everything after is numbered but the graph itself. A vertex
/// stands for `weight` columns of A, which are eliminated one after the other.
struct EliminationOrder {
  EliminationGraph graph;
  Permutation postorder;      ///< from the numbering of `graph`
  std::vector<Index> parent;  ///< in postorder
  std::vector<Index> weight;  ///< in postorder

  Index size() const { return static_cast<Index>(parent.size()); }
};

/// Throws UsageError unless the ordering is of the size of the graph.
EliminationOrder elimination_order(const CompressedGraph& graph, const Permutation& ordering,
                                   Index workers = 1);

}  // namespace espalier
