// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "ordering/ordering.hpp"
#include "symbolic/brute_force.hpp"
#include "symbolic/sample_graphs.hpp"

namespace espalier::internal {

/// Returns the 7-point grid of width * width * width vertices.
inline AdjacencyGraph space_grid_graph(Index width) {
  const Index layer = width * width;
  Edges edges;
  for (Index v = 0; v < layer * width; ++v) {
    if (v % width != 0) edges.emplace_back(v - 1, v);
    if (v % layer >= width) edges.emplace_back(v - width, v);
    if (v >= layer) edges.emplace_back(v - layer, v);
  }
  return graph_of(layer * width, edges);
}

/// Replaces each vertex c by the vertices c, c + n, c + 2n and so on, `copies` in all. They are
/// neighbours of each other and of the copies of the neighbours, like the displacements of a node.
inline AdjacencyGraph multiplied(const AdjacencyGraph& graph, Index copies) {
  Edges edges;
  for (Index v = 0; v < graph.n; ++v) {
    for (Index a = 0; a < copies; ++a) {
      for (Index b = 0; b < copies; ++b) {
        if (a != b) edges.emplace_back(v + a * graph.n, v + b * graph.n);
        for (const Index w : graph.of(v)) edges.emplace_back(v + a * graph.n, w + b * graph.n);
      }
    }
  }
  return graph_of(graph.n * copies, edges);
}

/// Adds a vertex n that is a neighbour of all others.
inline AdjacencyGraph with_dense_row(const AdjacencyGraph& graph) {
  Edges edges;
  for (Index v = 0; v < graph.n; ++v) {
    edges.emplace_back(v, graph.n);
    for (const Index w : graph.of(v)) edges.emplace_back(v, w);
  }
  return graph_of(graph.n + 1, edges);
}

/// Returns the union of two graphs and `isolated` more vertices, numbered in this order.
inline AdjacencyGraph side_by_side(const AdjacencyGraph& first, const AdjacencyGraph& second,
                                   Index isolated) {
  Edges edges;
  for (Index v = 0; v < first.n; ++v) {
    for (const Index w : first.of(v)) edges.emplace_back(v, w);
  }
  for (Index v = 0; v < second.n; ++v) {
    for (const Index w : second.of(v)) edges.emplace_back(first.n + v, first.n + w);
  }
  return graph_of(first.n + second.n + isolated, edges);
}

struct NamedGraph {
  std::string name;
  AdjacencyGraph graph;
};

inline std::vector<NamedGraph> ordering_graphs() {
  return {
      {"no vertex", edgeless_graph(0)},
      {"one vertex", edgeless_graph(1)},
      {"two vertices", edgeless_graph(2)},
      {"an edge", path_graph(2)},
      {"three in a row", path_graph(3)},
      {"diagonal", edgeless_graph(300)},
      {"path", path_graph(500)},
      {"star, hub first", star_graph(400, 0)},
      {"star, hub last", star_graph(400, 399)},
      {"complete", complete_graph(60)},
      {"two complete ones", side_by_side(complete_graph(20), complete_graph(1), 0)},
      {"two components and isolated vertices", side_by_side(grid_graph(15), path_graph(40), 25)},
      {"Liu 1990", liu_graph()},
      {"Davis 2006", davis_graph()},
      {"chordal", chordal_graph()},
      {"plane grid", grid_graph(25)},
      {"space grid", space_grid_graph(9)},
      {"space grid of 3 displacements", multiplied(space_grid_graph(6), 3)},
      {"grid with a dense row", with_dense_row(grid_graph(20))},
      {"sparse at random", random_graph(400, 500, 1)},
      {"dense at random", random_graph(200, 4000, 2)}};
}

/// Returns the lower triangle of a matrix with this graph.
inline LowerPattern lower_pattern(const AdjacencyGraph& graph) {
  LowerPattern pattern;
  pattern.n = graph.n;
  for (Index j = 0; j < graph.n; ++j) {
    pattern.row.push_back(j);
    for (const Index i : graph.of(j)) {
      if (i > j) pattern.row.push_back(i);
    }
    pattern.column_begin.push_back(static_cast<Count>(pattern.row.size()));
  }
  return pattern;
}

/// Returns the order of the original vertices, given an order of the merged ones.
inline Permutation member_order(const CompressedGraph& compressed, const Permutation& order) {
  std::vector<Index> members;
  for (const Index c : order.old_of) {
    for (const Index v : compressed.members(c)) members.push_back(v);
  }
  return Permutation::from_old_of(std::move(members));
}

/// Returns the cost of a factorization, counted on the structure of L.
inline OrderingCost counted_cost(const AdjacencyGraph& graph, const Permutation& permutation) {
  OrderingCost cost;
  for (const auto& column : brute_force_structure(graph, permutation)) {
    const auto entries = static_cast<double>(column.size());
    cost.entries += entries;
    cost.flops += entries * entries;
  }
  return cost;
}

inline OrderingCost counted_cost(const CompressedGraph& compressed, const Permutation& order) {
  std::vector<Index> places;  // places in `member`, which is the numbering of the expanded graph
  for (const Index c : order.old_of) {
    for (Index k = compressed.member_begin[c]; k < compressed.member_begin[c + 1]; ++k) {
      places.push_back(k);
    }
  }
  return counted_cost(expanded(compressed), Permutation::from_old_of(std::move(places)));
}

}  // namespace espalier::internal
