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
  const EliminationOrder order =
      elimination_order(uncompressed(graph), Permutation::identity(graph.n));
  return fundamental_supernodes(order.parent, column_counts(order), order.weight);
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
  EXPECT_EQ(supernodes.width[1], 2);
  EXPECT_EQ(supernodes.below(1), 1);
}

TEST(FundamentalSupernodes, AreTheLongestChainsOfOneStructure) {
  for (const Sample& sample : sample_graphs()) {
    SCOPED_TRACE(sample.name);
    const EliminationOrder order = elimination_order(sample.compressed, sample.ordering);
    const ColumnNumbering columns = columns_of(sample, order);
    const auto structure = brute_force_structure(sample.graph, columns.permutation);
    List parent;
    for (const auto& column : structure) parent.push_back(column.size() > 1 ? column[1] : -1);
    List begin{0};  // in columns
    for (Index c = 1; c <= sample.graph.n; ++c) {
      const bool continues =
          c < sample.graph.n && std::count(parent.begin(), parent.end(), c) == 1 &&
          List(structure[c - 1].begin() + 1, structure[c - 1].end()) == structure[c];
      if (!continues) begin.push_back(c);
    }
    const Supernodes supernodes =
        fundamental_supernodes(order.parent, column_counts(order), order.weight);
    ASSERT_EQ(supernodes.begin.size(), begin.size());
    for (Index s = 0; s < supernodes.count(); ++s) {
      EXPECT_EQ(columns.column_begin[supernodes.begin[s]], begin[s]);
      EXPECT_EQ(supernodes.width[s], begin[s + 1] - begin[s]);
      EXPECT_EQ(supernodes.height[s], static_cast<Index>(structure[begin[s]].size()));
    }
  }
}

TEST(SupernodeOfColumn, InvertsTheFirstColumns) {
  EXPECT_EQ(supernode_of_column(List{0}), List{});
  EXPECT_EQ(supernode_of_column(List{0, 2, 3, 6}), (List{0, 0, 1, 2, 2, 2}));
}

}  // namespace
}  // namespace espalier
