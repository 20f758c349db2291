// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "espalier/types.hpp"
#include "matrix/sparse_matrix.hpp"
#include "ordering/adjacency.hpp"
#include "ordering/compression.hpp"

namespace espalier::internal {

/// Graph whose vertices are numbered in elimination order. Each vertex lists its earlier
/// neighbours, then its later ones, both unordered.
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

/// Returns the graph with its vertices in the order of `ordering`. Throws UsageError if their sizes
/// differ. Cost O(n + edges).
EliminationGraph elimination_graph(const AdjacencyGraph& graph, const Permutation& ordering,
                                   Index workers = 1);

/// The row and the column of an entry of A, both as columns, in the order of their elimination.
struct ColumnPair {
  Index earlier;
  Index later;
};

/// Returns a graph that has only the earlier neighbours of each vertex, from pairs in any order.
/// Ignores pairs of equal columns, and pairs whose earlier column is `end` or larger. Cost O(n +
/// pairs).
EliminationGraph earlier_neighbours(Index n, std::span<const ColumnPair> pairs, Index end);

/// Returns the parent of every vertex in the elimination forest; -1 at a root. A parent is larger
/// than its children. Cost O(edges log n), close to linear in practice. Liu, "The role of
/// elimination trees in sparse factorization", 1990, section 4 (path compression).
std::vector<Index> elimination_tree(const EliminationGraph& graph);

/// Returns the renumbering of a forest to a postorder, in which each subtree is a range that ends
/// with its root. Parents must be larger than their children. Siblings keep their order, so that a
/// postordered forest gives the identity. Cost O(n).
Permutation postorder(std::span<const Index> parent);

/// Returns the parents in the numbering after `permutation`.
std::vector<Index> renumbered_forest(std::span<const Index> parent, const Permutation& permutation);

/// Returns the smallest descendant of every vertex of a postordered forest. A leaf is its own.
std::vector<Index> first_descendants(std::span<const Index> parent);

/// A graph in an elimination order, and the postorder of its elimination forest. The postorder is
/// an equivalent order with the same fill. `parent` and `weight` are numbered in postorder. Vertex
/// v has `weight[v]` columns of A, which are eliminated one after the other.
struct EliminationOrder {
  EliminationGraph graph;
  Permutation postorder;      ///< from the numbering of `graph`
  std::vector<Index> parent;  ///< in postorder
  std::vector<Index> weight;  ///< in postorder

  Index size() const { return static_cast<Index>(parent.size()); }
};

/// Throws UsageError if the ordering and the graph have different sizes.
EliminationOrder elimination_order(const CompressedGraph& graph, const Permutation& ordering,
                                   Index workers = 1);

}  // namespace espalier::internal
