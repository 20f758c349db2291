// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "espalier/types.hpp"
#include "matrix/sparse_matrix.hpp"
#include "ordering/adjacency.hpp"
#include "ordering/compression.hpp"

namespace espalier::internal {

/// A graph renumbered to the order in which its vertices are eliminated. Each vertex lists the
/// neighbours eliminated before it, then those after it, neither in any order.
struct EliminationGraph {
  Index n = 0;
  std::vector<Count> begin{0};
  std::vector<Count> later_begin;
  std::vector<Index> neighbour;

  std::span<const Index> earlier(Index v) const {
    return {neighbour.data() + begin[v], neighbour.data() + later_begin[v]};
  }
  std::span<const Index> later(Index v) const {
    return {neighbour.data() + later_begin[v], neighbour.data() + begin[v + 1]};
  }
};

/// Throws UsageError unless the ordering is of the size of the graph. Cost O(n + edges), one read
/// of the graph in the new order.
EliminationGraph elimination_graph(const AdjacencyGraph& graph, const Permutation& ordering,
                                   Index workers = 1);

/// Two columns with an entry of A, in the order of their elimination.
struct ColumnPair {
  Index earlier;
  Index later;
};

/// Makes a graph from pairs in any order, with the neighbours alone that are eliminated before each
/// vertex. It leaves out pairs of one column twice and those whose earlier one is `end` or more.
/// Cost O(n + pairs).
EliminationGraph earlier_neighbours(Index n, std::span<const ColumnPair> pairs, Index end);

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

}  // namespace espalier::internal
