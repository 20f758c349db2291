// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "espalier/types.hpp"
#include "ordering/compression.hpp"
#include "symbolic/etree.hpp"

namespace espalier::internal {

struct OrderingCost;

/// Entries of the first column of every vertex in L, the diagonal included, in postorder. Each
/// further column of a vertex has one less. Cost O(edges alpha(edges, n)).
/// Gilbert, Ng and Peyton, "An efficient algorithm to compute row and column counts for sparse
/// Cholesky factorization", 1994 (leaves of the row subtrees and their least common ancestors).
std::vector<Index> column_counts(const EliminationOrder& order);

/// An elimination order and its column counts.
struct CountedOrder {
  EliminationOrder order;
  std::vector<Index> count;
};

/// Returns both for an ordering of the merged vertices of a graph.
CountedOrder counted_order(const CompressedGraph& graph, const Permutation& ordering,
                           Index workers = 1);

/// Returns the entries and the flops of adjacent columns of L with the same structure: the first
/// one has `height` entries, and there are `width` of them.
OrderingCost trapezoid_cost(Index height, Index width);

/// What a factorization without amalgamation costs when the first columns of vertices of these
/// weights have these counts.
OrderingCost factorization_cost(std::span<const Index> column_count, std::span<const Index> weight);

OrderingCost factorization_cost(const CountedOrder& counted);

}  // namespace espalier::internal
