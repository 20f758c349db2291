// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "espalier/types.hpp"
#include "matrix/permutation.hpp"
#include "ordering/adjacency.hpp"

namespace espalier {

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

/// From pairs in any order, with the neighbours alone that are eliminated before each vertex.
/// Leaves out pairs of one column twice and those whose earlier one is `end` or more. Cost O(n +
/// pairs).
EliminationGraph earlier_neighbours(Index n, std::span<const ColumnPair> pairs, Index end);

}  // namespace espalier
