// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/pattern_compression.hpp"

#include <gtest/gtest.h>

#include "ordering/graphs.hpp"

namespace espalier {
namespace {

/// `copies` vertices for each one of a graph, numbered one after the other.
AdjacencyGraph node_by_node(const AdjacencyGraph& graph, Index copies) {
  std::vector<Index> old_of;
  for (Index v = 0; v < graph.n; ++v) {
    for (Index k = 0; k < copies; ++k) old_of.push_back(v + k * graph.n);
  }
  return permuted(multiplied(graph, copies), Permutation::from_old_of(old_of));
}

std::vector<NamedGraph> pattern_graphs() {
  auto graphs = ordering_graphs();
  graphs.push_back({"node by node", node_by_node(space_grid_graph(5), 3)});
  for (unsigned seed = 0; seed < 60; ++seed) {
    const Index n = 4 + static_cast<Index>(seed) % 9;
    const std::string name = "random " + std::to_string(seed);
    graphs.push_back({name, random_graph(n, n * (n - 1) / 3, seed)});
    graphs.push_back({name + ", pairs", node_by_node(random_graph(n, 2 * n, seed), 2)});
  }
  return graphs;
}

/// Where consecutive vertices have different closed neighbourhoods.
std::vector<Index> brute_force_pattern_groups(const AdjacencyGraph& graph) {
  const auto closed = [&](Index v) {
    std::vector<Index> list(graph.of(v).begin(), graph.of(v).end());
    list.insert(std::lower_bound(list.begin(), list.end(), v), v);
    return list;
  };
  std::vector<Index> begin{0};
  for (Index v = 1; v < graph.n; ++v) {
    if (closed(v - 1) != closed(v)) begin.push_back(v);
  }
  if (graph.n > 0) begin.push_back(graph.n);
  return begin;
}

TEST(ConsecutiveGroups, HoldIndistinguishableColumns) {
  for (const auto& [name, graph] : pattern_graphs()) {
    SCOPED_TRACE(name);
    EXPECT_EQ(consecutive_groups(lower_pattern(graph)), brute_force_pattern_groups(graph));
  }
}

TEST(PatternCompression, IsThatOfTheGraph) {
  for (const auto& [name, graph] : pattern_graphs()) {
    SCOPED_TRACE(name);
    const CompressedGraph expected = compress(graph);
    const CompressedGraph compressed = compress(lower_pattern(graph));

    EXPECT_EQ(compressed.graph.n, expected.graph.n);
    EXPECT_EQ(compressed.graph.begin, expected.graph.begin);
    EXPECT_EQ(compressed.graph.neighbour, expected.graph.neighbour);
    EXPECT_EQ(compressed.weight, expected.weight);
    EXPECT_EQ(compressed.member_begin, expected.member_begin);
    EXPECT_EQ(compressed.member, expected.member);
  }
}

}  // namespace
}  // namespace espalier
