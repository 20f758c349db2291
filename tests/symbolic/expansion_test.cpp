// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/expansion.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "symbolic/sample_graphs.hpp"

namespace espalier {
namespace {

using List = std::vector<Index>;

/// Vertices of members {0, 2, 5}, {1} and {3, 4}.
CompressedGraph three_vertices() {
  CompressedGraph graph;
  graph.graph = path_graph(3);
  graph.weight = {3, 1, 2};
  graph.member_begin = {0, 3, 4, 6};
  graph.member = {0, 2, 5, 1, 3, 4};
  return graph;
}

TEST(NumberColumns, PutsTheMembersOfAVertexTogether) {
  const ColumnNumbering columns = number_columns(three_vertices(), List{2, 0, 1});
  EXPECT_EQ(columns.permutation.old_of, (List{3, 4, 0, 2, 5, 1}));
  EXPECT_NO_THROW(check(columns.permutation));
  EXPECT_EQ(columns.column_begin, (List{0, 2, 5, 6}));
}

TEST(NumberColumns, OfNothing) {
  const ColumnNumbering columns = number_columns(CompressedGraph{}, List{});
  EXPECT_EQ(columns.permutation.size(), 0);
  EXPECT_EQ(columns.column_begin, List{0});
}

TEST(NumberColumns, DoesNotDependOnTheNumberOfThreads) {
  const CompressedGraph graph = compress(with_twins(grid_graph(180), 3));
  const List order = random_permutation(graph.graph.n, 6).old_of;
  const ColumnNumbering expected = number_columns(graph, order);
  EXPECT_NO_THROW(check(expected.permutation));
  for (const Index workers : {2, 3}) {
    const ColumnNumbering columns = number_columns(graph, order, workers);
    EXPECT_EQ(columns.permutation.new_of, expected.permutation.new_of);
    EXPECT_EQ(columns.column_begin, expected.column_begin);
  }
}

TEST(ExpandRows, ReplacesVerticesByTheirColumns) {
  // Vertices of 3, 1, 2 and 1 columns in supernodes {0}, {1, 2} and {3}.
  const Supernodes supernodes{{0, 1, 3, 4}, {1, 2, -1}, {3, 3, 1}, {6, 4, 1}};
  RowStructure rows;
  rows.begin = {0, 6, 10, 11};
  rows.row = {-1, -1, -1, 2, 3, -1, -1, -1, -1, 3, -1};
  rows.below = {2, 1, 0};
  expand_rows(supernodes, List{0, 3, 4, 6, 7}, rows);
  EXPECT_EQ(rows.row, (List{0, 1, 2, 4, 5, 6, 3, 4, 5, 6, 6}));
}

}  // namespace
}  // namespace espalier
