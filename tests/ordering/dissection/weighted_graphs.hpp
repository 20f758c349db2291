// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <thread>
#include <vector>

#include "ordering/adjacency.hpp"
#include "ordering/dissection/weighted_graph.hpp"

namespace espalier::internal {

/// Returns the graph with a weight of one for every vertex and edge.
inline WeightedGraph weighted(const AdjacencyGraph& adjacency) {
  WeightedGraph graph;
  graph.begin.assign(adjacency.begin.begin(), adjacency.begin.end());
  graph.neighbour.assign(adjacency.neighbour.begin(), adjacency.neighbour.end());
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

/// Runs the tasks of a loop in reverse order, half of them on another thread.
inline void disorderly_loop(Index tasks, const std::function<void(Index)>& body) {
  std::thread other([&] {
    for (Index task = tasks - 1; task >= 0; task -= 2) body(task);
  });
  for (Index task = tasks - 2; task >= 0; task -= 2) body(task);
  other.join();
}

}  // namespace espalier::internal
