// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "ordering/compression.hpp"

namespace espalier::internal {

/// Returns the fraction of far neighbours, estimated from some hundreds of vertices. The number of
/// a far neighbour differs by more than n / 8, and is not close to a neighbour of an
/// adjacent number. So a saddle point matrix with a grid's numbers in both parts has none.
double share_of_far_neighbours(const AdjacencyGraph& graph);

/// Returns all vertices in the order of breadth-first searches. The first search begins at `first`,
/// each later one at the smallest remaining vertex. Cost O(n + nnz).
std::vector<Index> breadth_first_order(const AdjacencyGraph& graph, Index first = 0);

/// Returns the graph with its merged vertices numbered breadth first, from the smallest vertex of
/// each component. Cost O(n + nnz).
CompressedGraph numbered_breadth_first(const CompressedGraph& graph, Index workers = 1);

/// Renumbers a large graph if its numbering looks random, so that later steps find neighbours in
/// the cache.
CompressedGraph with_local_numbering(CompressedGraph graph, Index workers = 1);

}  // namespace espalier::internal
