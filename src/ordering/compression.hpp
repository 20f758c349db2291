// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "matrix/sparse_matrix.hpp"
#include "ordering/adjacency.hpp"

namespace espalier::internal {

/// A graph whose indistinguishable vertices (equal closed neighbourhoods) are merged into one each:
/// some ordering of least fill eliminates them one after the other. Ashcraft, "Compressed graphs
/// and the minimum degree algorithm", SIAM J. Sci. Comput. 16, 1995.
struct CompressedGraph {
  AdjacencyGraph graph;       ///< merged vertices, numbered by their smallest members
  std::vector<Index> weight;  ///< members of a merged vertex
  std::vector<Index> member_begin{0};
  std::vector<Index> member;  ///< member[member_begin[c] .. member_begin[c+1]), ascending

  /// Original vertices a merged one, on average; 1 for an empty graph.
  double mean_weight() const {
    return member.empty() ? 1.0 : static_cast<double>(member.size()) / graph.n;
  }
  std::span<const Index> members(Index c) const {
    return {member.data() + member_begin[c], member.data() + member_begin[c + 1]};
  }
};

/// Compares hashes of closed neighbourhoods, then the neighbourhoods themselves. Cost O(n + nnz)
/// unless hashes collide. A graph without indistinguishable vertices is kept, not copied.
CompressedGraph compress(AdjacencyGraph graph);

/// Takes the graph as it is, every vertex on its own.
CompressedGraph uncompressed(AdjacencyGraph graph);

/// The graph of the original vertices again, in the numbering of `member`: vertex k is member[k].
AdjacencyGraph expanded(const CompressedGraph& compressed);

/// The order of the merged vertices in which a permutation of the original ones comes to their
/// first members.
Permutation contract(const CompressedGraph& compressed, const Permutation& permutation);

/// Where the groups of consecutive indistinguishable columns begin, and n: as long as possible, so
/// that unknowns numbered node by node make one group a node. One pass over the pattern.
std::vector<Index> consecutive_groups(const PatternView& pattern);

/// The compressed adjacency graph of a lower triangle. Consecutive indistinguishable columns are
/// merged before both directions of edges are stored, which saves most of time and memory where
/// there are several unknowns a node. Cost O(n + nnz).
CompressedGraph compress(const PatternView& pattern);

}  // namespace espalier::internal
