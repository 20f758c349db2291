// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "espalier/options.hpp"
#include "matrix/sparse_matrix.hpp"
#include "ordering/adjacency.hpp"
#include "ordering/compression.hpp"
#include "symbolic/etree.hpp"
#include "symbolic/row_structure.hpp"

namespace espalier::internal {

/// From no merge to one supernode per tree.
inline std::vector<std::pair<std::string, AmalgamationOptions>> amalgamation_samples() {
  constexpr Index any_width = std::numeric_limits<Index>::max();
  return {
      {"no amalgamation", {{0, 0, 0, 0}, {0, 0, 0, 0}}},
      {"no explicit zeros", {{any_width, 0, 0, 0}, {0, 0, 0, 0}}},
      {"up to 4 columns", {{4, 0, 0, 0}, {1, 0, 0, 0}}},
      {"defaults", {}},
      {"half zeros", {{any_width, 0, 0, 0}, {0.5, 0, 0, 0}}},
      {"all zeros", {{any_width, 0, 0, 0}, {1, 0, 0, 0}}},
  };
}

using Edges = std::vector<std::pair<Index, Index>>;

inline AdjacencyGraph graph_of(Index n, const Edges& edges) {
  std::vector<std::set<Index>> neighbours(n);
  for (const auto& [a, b] : edges) {
    neighbours[a].insert(b);
    neighbours[b].insert(a);
  }
  AdjacencyGraph graph;
  graph.n = n;
  for (const auto& list : neighbours) {
    graph.neighbour.insert(graph.neighbour.end(), list.begin(), list.end());
    graph.begin.push_back(static_cast<Count>(graph.neighbour.size()));
  }
  return graph;
}

/// Returns the example of 10 vertices, a..j as 0..9, of Liu, "The role of elimination trees in
/// sparse factorization", 1990.
inline AdjacencyGraph liu_graph() {
  return graph_of(10, {{0, 2},
                       {0, 7},
                       {1, 4},
                       {1, 9},
                       {2, 6},
                       {3, 8},
                       {3, 9},
                       {4, 8},
                       {4, 9},
                       {5, 6},
                       {5, 7},
                       {7, 8},
                       {7, 9}});
}

/// Returns a graph of Davis, "Direct methods for sparse linear systems", 2006, chapter 4.
inline AdjacencyGraph davis_graph() {
  return graph_of(11, {{0, 5},
                       {0, 6},
                       {1, 2},
                       {1, 7},
                       {2, 9},
                       {2, 10},
                       {3, 5},
                       {3, 9},
                       {4, 7},
                       {4, 10},
                       {5, 8},
                       {5, 9},
                       {6, 10},
                       {7, 9},
                       {7, 10},
                       {9, 10}});
}

/// Returns a chordal graph, numbered without fill, of Vandenberghe and Andersen, "Chordal graphs
/// and semidefinite optimization", 2015, figure 4.2.
inline AdjacencyGraph chordal_graph() {
  return graph_of(
      17, {{0, 2},   {1, 2},   {0, 3},   {1, 3},   {2, 3},   {0, 4},   {2, 4},   {3, 4},   {6, 7},
           {4, 8},   {5, 8},   {6, 8},   {7, 8},   {9, 10},  {9, 12},  {10, 12}, {11, 12}, {9, 13},
           {10, 13}, {11, 13}, {12, 13}, {0, 14},  {2, 14},  {3, 14},  {4, 14},  {6, 14},  {7, 14},
           {8, 14},  {4, 15},  {5, 15},  {8, 15},  {11, 15}, {12, 15}, {13, 15}, {14, 15}, {9, 16},
           {10, 16}, {11, 16}, {12, 16}, {13, 16}, {14, 16}, {15, 16}});
}

inline AdjacencyGraph edgeless_graph(Index n) { return graph_of(n, {}); }

inline AdjacencyGraph path_graph(Index n) {
  Edges edges;
  for (Index v = 1; v < n; ++v) edges.emplace_back(v - 1, v);
  return graph_of(n, edges);
}

/// Returns an arrow matrix that points to `hub`.
inline AdjacencyGraph star_graph(Index n, Index hub) {
  Edges edges;
  for (Index v = 0; v < n; ++v) {
    if (v != hub) edges.emplace_back(hub, v);
  }
  return graph_of(n, edges);
}

inline AdjacencyGraph complete_graph(Index n) {
  Edges edges;
  for (Index v = 0; v < n; ++v) {
    for (Index u = 0; u < v; ++u) edges.emplace_back(u, v);
  }
  return graph_of(n, edges);
}

/// Returns the 5-point grid of width * width vertices, by rows.
inline AdjacencyGraph grid_graph(Index width) {
  Edges edges;
  for (Index v = 0; v < width * width; ++v) {
    if (v % width != 0) edges.emplace_back(v - 1, v);
    if (v >= width) edges.emplace_back(v - width, v);
  }
  return graph_of(width * width, edges);
}

/// Returns about `edges` edges between random vertices, often with several components and isolated
/// vertices.
inline AdjacencyGraph random_graph(Index n, Index edges, unsigned seed) {
  std::mt19937 random(seed);
  Edges list;
  for (Index e = 0; e < edges; ++e) {
    const auto a = static_cast<Index>(random() % n);
    const auto b = static_cast<Index>(random() % n);
    if (a != b) list.emplace_back(a, b);
  }
  return graph_of(n, list);
}

inline Permutation random_permutation(Index n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Index> old_of(n);
  std::iota(old_of.begin(), old_of.end(), 0);
  for (Index i = n; i > 1; --i) std::swap(old_of[i - 1], old_of[random() % i]);
  return Permutation::from_old_of(std::move(old_of));
}

/// Returns an ordering that always eliminates a vertex with the fewest remaining neighbours.
inline Permutation minimum_degree(const AdjacencyGraph& graph) {
  std::vector<std::set<Index>> neighbours(graph.n);
  std::set<std::pair<std::size_t, Index>> queue;
  for (Index v = 0; v < graph.n; ++v) {
    neighbours[v].insert(graph.of(v).begin(), graph.of(v).end());
    queue.emplace(neighbours[v].size(), v);
  }
  std::vector<Index> old_of;
  while (!queue.empty()) {
    const Index v = queue.begin()->second;
    old_of.push_back(v);
    queue.erase(queue.begin());
    for (const Index u : neighbours[v]) {
      queue.erase({neighbours[u].size(), u});
      neighbours[u].insert(neighbours[v].begin(), neighbours[v].end());
      neighbours[u].erase(u);
      neighbours[u].erase(v);
      queue.emplace(neighbours[u].size(), u);
    }
  }
  return Permutation::from_old_of(std::move(old_of));
}

/// Returns the nested dissection of grid_graph(width) by middle rows and columns (George, 1973).
inline Permutation grid_dissection(Index width) {
  std::vector<Index> old_of;
  const auto dissect = [&](auto&& self, Index x0, Index x1, Index y0, Index y1) -> void {
    if (x0 >= x1 || y0 >= y1) return;
    if (x1 - x0 >= y1 - y0) {
      const Index x = (x0 + x1) / 2;
      self(self, x0, x, y0, y1);
      self(self, x + 1, x1, y0, y1);
      for (Index y = y0; y < y1; ++y) old_of.push_back(y * width + x);
    } else {
      const Index y = (y0 + y1) / 2;
      self(self, x0, x1, y0, y);
      self(self, x0, x1, y + 1, y1);
      for (Index x = x0; x < x1; ++x) old_of.push_back(y * width + x);
    }
  };
  dissect(dissect, 0, width, 0, width);
  return Permutation::from_old_of(std::move(old_of));
}

/// Replaces each vertex v by 1 + v mod `most` indistinguishable vertices, shuffled.
inline AdjacencyGraph with_twins(const AdjacencyGraph& graph, Index most) {
  std::vector<Index> begin{0};
  for (Index v = 0; v < graph.n; ++v) begin.push_back(begin.back() + 1 + v % most);
  const Permutation shuffle = random_permutation(begin.back(), 11);
  Edges edges;
  const auto connect = [&](Index v, Index u) {
    for (Index a = begin[v]; a < begin[v + 1]; ++a) {
      for (Index b = begin[u]; b < begin[u + 1]; ++b) {
        if (a != b) edges.emplace_back(shuffle.new_of[a], shuffle.new_of[b]);
      }
    }
  };
  for (Index v = 0; v < graph.n; ++v) {
    connect(v, v);
    for (const Index u : graph.of(v)) connect(v, u);
  }
  return graph_of(begin.back(), edges);
}

struct Sample {
  std::string name;
  AdjacencyGraph graph;
  CompressedGraph compressed;
  Permutation ordering;  ///< order of the merged vertices
};

/// Returns graphs of the literature, extreme shapes, grids and random graphs, each with an
/// ordering. In some graphs, indistinguishable vertices are merged.
inline std::vector<Sample> sample_graphs() {
  std::vector<Sample> samples;
  const auto add_ordered = [&](const std::string& name, const AdjacencyGraph& graph,
                               const CompressedGraph& compressed) {
    const AdjacencyGraph& merged = compressed.graph;
    samples.push_back({name + ", natural", graph, compressed, Permutation::identity(merged.n)});
    samples.push_back({name + ", minimum degree", graph, compressed, minimum_degree(merged)});
    samples.push_back({name + ", random", graph, compressed, random_permutation(merged.n, 7)});
  };
  const auto add = [&](const std::string& name, const AdjacencyGraph& graph) {
    add_ordered(name, graph, uncompressed(graph));
  };
  const auto add_merged = [&](const std::string& name, const AdjacencyGraph& graph) {
    add_ordered(name + ", merged", graph, compress(graph));
  };
  add("no vertex", edgeless_graph(0));
  add("one vertex", edgeless_graph(1));
  add("diagonal", edgeless_graph(9));
  add("Liu 1990", liu_graph());
  add("Davis 2006", davis_graph());
  add("chordal", chordal_graph());
  add("path", path_graph(40));
  add("arrow, hub first", star_graph(12, 0));
  add("arrow, hub last", star_graph(12, 11));
  add("complete", complete_graph(20));
  add_merged("complete", complete_graph(20));
  add("grid", grid_graph(12));
  add("grid of twins", with_twins(grid_graph(8), 2));
  add_merged("grid of twins", with_twins(grid_graph(8), 2));
  add_merged("chordal with twins", with_twins(chordal_graph(), 4));
  add_merged("three columns a vertex", with_twins(grid_graph(6), 3));
  samples.push_back({"grid, nested dissection", grid_graph(24), uncompressed(grid_graph(24)),
                     grid_dissection(24)});
  for (unsigned seed = 0; seed < 20; ++seed) {
    const auto n = static_cast<Index>(20 + 5 * seed);
    const auto edges = static_cast<Index>(n * (0.5 + 0.15 * seed));
    add("random " + std::to_string(seed), random_graph(n, edges, seed));
  }
  for (unsigned seed = 20; seed < 26; ++seed) {
    add_merged("random " + std::to_string(seed),
               with_twins(random_graph(30, static_cast<Index>(2 * seed), seed), 3));
  }
  return samples;
}

/// Returns the columns of A, by vertices of the compressed graph, in the elimination order with a
/// renumbered postorder.
inline ColumnNumbering columns_of(const Sample& sample, const EliminationOrder& order,
                                  const Permutation& renumbering) {
  std::vector<Index> vertex_at;
  for (const Index i : renumbering.old_of) {
    vertex_at.push_back(sample.ordering.old_of[order.postorder.old_of[i]]);
  }
  return number_columns(sample.compressed, vertex_at);
}

inline ColumnNumbering columns_of(const Sample& sample, const EliminationOrder& order) {
  return columns_of(sample, order, Permutation::identity(order.size()));
}

/// Returns the elimination order of the columns of A.
inline Permutation column_ordering(const Sample& sample) {
  return number_columns(sample.compressed, sample.ordering.old_of).permutation;
}

}  // namespace espalier::internal
