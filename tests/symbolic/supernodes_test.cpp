// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/supernodes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "symbolic/brute_force.hpp"
#include "symbolic/column_counts.hpp"
#include "symbolic/sample_graphs.hpp"

namespace espalier {
namespace {

using List = std::vector<Index>;

Supernodes natural_supernodes(const AdjacencyGraph& graph) {
  const EliminationOrder order = elimination_order(graph, Permutation::identity(graph.n));
  return fundamental_supernodes(order.parent, column_counts(order));
}

TEST(FundamentalSupernodes, OfExtremeShapes) {
  EXPECT_EQ(natural_supernodes(edgeless_graph(0)).begin, List{0});
  EXPECT_EQ(natural_supernodes(edgeless_graph(1)).begin, (List{0, 1}));
  EXPECT_EQ(natural_supernodes(edgeless_graph(3)).begin, (List{0, 1, 2, 3}));
  EXPECT_EQ(natural_supernodes(path_graph(5)).begin, (List{0, 1, 2, 3, 5}));
  EXPECT_EQ(natural_supernodes(complete_graph(5)).begin, (List{0, 5}));
  EXPECT_EQ(natural_supernodes(star_graph(5, 4)).begin, (List{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(natural_supernodes(star_graph(5, 0)).begin, (List{0, 5}));
}

TEST(FundamentalSupernodes, FormATree) {
  // Two triangles that share vertex 4.
  const Supernodes supernodes =
      natural_supernodes(graph_of(5, {{0, 1}, {0, 4}, {1, 4}, {2, 3}, {2, 4}, {3, 4}}));
  EXPECT_EQ(supernodes.begin, (List{0, 2, 4, 5}));
  EXPECT_EQ(supernodes.parent, (List{2, 2, -1}));
  EXPECT_EQ(supernodes.height, (List{3, 3, 1}));
  EXPECT_EQ(supernodes.width(1), 2);
  EXPECT_EQ(supernodes.below(1), 1);
}

TEST(FundamentalSupernodes, AreTheLongestChainsOfOneStructure) {
  for (const Sample& sample : sample_graphs()) {
    SCOPED_TRACE(sample.name);
    const EliminationOrder order = elimination_order(sample.graph, sample.ordering);
    const auto structure = brute_force_structure(sample.graph, order.permutation);
    List begin{0};
    for (Index v = 1; v <= sample.graph.n; ++v) {
      const bool continues =
          v < sample.graph.n && std::count(order.parent.begin(), order.parent.end(), v) == 1 &&
          List(structure[v - 1].begin() + 1, structure[v - 1].end()) == structure[v];
      if (!continues) begin.push_back(v);
    }
    const Supernodes supernodes = fundamental_supernodes(order.parent, column_counts(order));
    EXPECT_EQ(supernodes.begin, begin);

    Count entries = 0;
    for (Index s = 0; s < supernodes.count(); ++s) {
      const Count width = supernodes.width(s);
      entries += width * supernodes.height[s] - width * (width - 1) / 2;
    }
    EXPECT_EQ(entries, entries_of(structure));
  }
}

TEST(SupernodeOfColumn, InvertsTheFirstColumns) {
  EXPECT_EQ(supernode_of_column(List{0}), List{});
  EXPECT_EQ(supernode_of_column(List{0, 2, 3, 6}), (List{0, 0, 1, 2, 2, 2}));
}

}  // namespace
}  // namespace espalier
