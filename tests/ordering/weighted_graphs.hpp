// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <numeric>

#include "ordering/adjacency.hpp"
#include "ordering/weighted_graph.hpp"

namespace espalier {

/// The graph with a weight of one for every vertex and edge.
inline WeightedGraph weighted(const AdjacencyGraph& adjacency) {
  WeightedGraph graph;
  graph.begin.assign(adjacency.begin.begin(), adjacency.begin.end());
  graph.neighbour = adjacency.neighbour;
  graph.weight.assign(adjacency.n, 1);
  graph.total_weight = adjacency.n;
  return graph;
}

/// Sets the weight of some vertices.
inline void set_weight(WeightedGraph& graph, Index begin, Index end, Index weight) {
  for (Index v = begin; v < end; ++v) {
    graph.total_weight += weight - graph.weight[v];
    graph.weight[v] = weight;
  }
}

}  // namespace espalier
