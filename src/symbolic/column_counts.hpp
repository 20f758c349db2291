// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "espalier/types.hpp"
#include "ordering/compression.hpp"
#include "symbolic/etree.hpp"

namespace espalier::internal {

struct OrderingCost;

/// Returns, for every vertex in postorder, the number of entries in its first column of L,
/// including the diagonal. Each further column of a vertex has one entry fewer. Cost O(edges
/// alpha(edges, n)). Gilbert, Ng and Peyton, "An efficient algorithm to compute row and column
/// counts for sparse Cholesky factorization", 1994 (leaves of the row subtrees and their least
/// common ancestors).
std::vector<Index> column_counts(const EliminationOrder& order);

/// Elimination order with its column counts.
struct CountedOrder {
  EliminationOrder order;
  std::vector<Index> count;
};

/// Returns the elimination order and its column counts for an ordering of the merged vertices.
CountedOrder counted_order(const CompressedGraph& graph, const Permutation& ordering,
                           Index workers = 1);

/// Returns the entries and the flops of `width` adjacent columns of L with the same structure. The
/// first column has `height` entries.
OrderingCost trapezoid_cost(Index height, Index width);

/// Returns the cost of a factorization without amalgamation. The first column of vertex v has
/// column_count[v] entries, and the vertex has weight[v] columns.
OrderingCost factorization_cost(std::span<const Index> column_count, std::span<const Index> weight);

OrderingCost factorization_cost(const CountedOrder& counted);

}  // namespace espalier::internal
