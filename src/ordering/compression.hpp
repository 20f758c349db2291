// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "matrix/sparse_matrix.hpp"
#include "ordering/adjacency.hpp"
#include "scaling/weighted_matching.hpp"

namespace espalier::internal {

/// Graph in which indistinguishable vertices (vertices with equal closed neighbourhoods) are
/// merged. There is an ordering with minimum fill that eliminates them one after the other.
/// Ashcraft, "Compressed graphs and the minimum degree algorithm", SIAM J. Sci. Comput. 16, 1995.
struct CompressedGraph {
  AdjacencyGraph graph;       ///< merged vertices, numbered in the order of their smallest members
  std::vector<Index> weight;  ///< number of members of each merged vertex
  std::vector<Index> member_begin{0};
  /// Members of merged vertex c: member[member_begin[c] .. member_begin[c+1]), ascending; but the
  /// second vertex of a pair follows the first one.
  std::vector<Index> member;
  MatchedColumns matched;  ///< pairs and predecessors of original vertices

  /// Returns the mean number of original vertices per merged vertex; 1 for an empty graph.
  double mean_weight() const {
    return member.empty() ? 1.0 : static_cast<double>(member.size()) / graph.n;
  }
  std::span<const Index> members(Index c) const {
    return {member.data() + member_begin[c], member.data() + member_begin[c + 1]};
  }
};

/// Merges the indistinguishable vertices of a graph. Compares hashes of closed neighbourhoods, then
/// the neighbourhoods themselves. Cost O(n + nnz) unless hashes collide. A graph without
/// indistinguishable vertices is moved, not copied.
CompressedGraph compress(AdjacencyGraph graph, Index workers = 1);

/// Returns the graph of a lower triangle in which only the two vertices of each pair are merged. A
/// pair has the neighbours of both, so that its two columns of L have equal structures. If columns
/// and their predecessors have almost the same neighbours, they become pairs, too: if the graph
/// then has less than 0.45 times the edges. If two pairs of identical vertices are neighbours,
/// their four edges become one. The experiment `pairs` compares rules. Cost O(n + nnz).
CompressedGraph merge_pairs(const PatternView& pattern, MatchedColumns matched, Index workers = 1);

/// Merges the indistinguishable vertices of a graph whose vertices are already merged ones.
CompressedGraph compress(CompressedGraph graph, Index workers = 1);

/// Returns the graph as a CompressedGraph in which no vertices are merged.
CompressedGraph uncompressed(AdjacencyGraph graph);

/// Returns the graph of the original vertices, in the numbering of `member`: vertex k is member[k].
AdjacencyGraph expanded(const CompressedGraph& compressed);

/// Returns the order in which a permutation of the original vertices reaches the first member of
/// each merged vertex.
Permutation contract(const CompressedGraph& compressed, const Permutation& permutation);

/// Returns the first column of each group of consecutive indistinguishable columns, and then n.
/// Groups are as long as possible: unknowns numbered node by node make one group per node. Takes
/// one pass over the pattern.
std::vector<Index> consecutive_groups(const PatternView& pattern);

/// Returns the compressed adjacency graph of a lower triangle. Consecutive indistinguishable
/// columns are merged before both directions of edges are stored. This saves most of the time and
/// memory if nodes have several unknowns. Cost O(n + nnz).
CompressedGraph compress(const PatternView& pattern, Index workers = 1);

}  // namespace espalier::internal
