// SPDX-License-Identifier: BSD-3-Clause

#include "symbolic/row_structure.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

#include "symbolic/brute_force.hpp"
#include "symbolic/column_counts.hpp"
#include "symbolic/etree.hpp"
#include "symbolic/sample_graphs.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace espalier::internal {
namespace {

using List = std::vector<Index>;

/// Returns a complete binary tree of the given height in postorder.
List binary_tree(Index height) {
  List parent;
  const auto grow = [&](auto&& self, Index levels) -> Index {
    List children;
    for (Index side = 0; levels > 0 && side < 2; ++side) {
      children.push_back(self(self, levels - 1));
    }
    const auto root = static_cast<Index>(parent.size());
    parent.push_back(-1);
    for (const Index child : children) parent[child] = root;
    return root;
  };
  grow(grow, height);
  return parent;
}

/// Expects that the groups and the top contain every vertex once, and that groups are whole
/// subtrees.
void expect_cut(const SubtreeGroups& groups, const List& parent) {
  const auto n = static_cast<Index>(parent.size());
  std::vector<Index> part(n, -1);
  for (Index g = 0; g < groups.count(); ++g) groups.for_each_in(g, [&](Index v) { part[v] = g; });
  for (const Index v : groups.top) {
    EXPECT_EQ(part[v], -1) << v;
    part[v] = groups.count();
  }
  for (Index v = 0; v < n; ++v) {
    ASSERT_NE(part[v], -1) << v;
    if (parent[v] == -1) continue;
    EXPECT_TRUE(part[parent[v]] == part[v] || part[parent[v]] == groups.count()) << v;
  }
}

TEST(GroupSubtrees, MakesOneGroupForOneWorker) {
  const List parent = binary_tree(4);
  const SubtreeGroups groups = group_subtrees(parent, List(parent.size(), 1'000'000), 1);
  EXPECT_EQ(groups.border, (List{0, 31}));
  EXPECT_TRUE(groups.top.empty());
}

TEST(GroupSubtrees, LeavesLittleWorkTogether) {
  const List parent = binary_tree(4);
  const SubtreeGroups groups = group_subtrees(parent, List(parent.size(), 1), 2);
  EXPECT_EQ(groups.count(), 1);
  EXPECT_TRUE(groups.top.empty());
}

TEST(GroupSubtrees, CutsWholeSubtreesBelowATop) {
  for (const Index workers : {2, 3, 8}) {
    for (const List& parent :
         {binary_tree(9), List{1, 2, 3, 4, -1}, List{-1, -1, -1}, List{3, 3, 3, -1, -1, 6, -1}}) {
      const SubtreeGroups groups = group_subtrees(parent, List(parent.size(), 100'000), workers);
      expect_cut(groups, parent);
      EXPECT_GT(groups.count() + static_cast<Index>(groups.top.size()), 1);
    }
  }
}

TEST(GroupSubtrees, LeavesNoGroupMoreThanItsShare) {
  const List parent = binary_tree(12);
  const auto n = static_cast<Index>(parent.size());
  const SubtreeGroups groups = group_subtrees(parent, List(n, 1'000), 2);
  EXPECT_GE(groups.count(), 4);
  for (Index g = 0; g < groups.count(); ++g) {
    Index members = 0;
    groups.for_each_in(g, [&](Index) { ++members; });
    EXPECT_LE(members, n / 4 + n / 8);
  }
}

TEST(GroupSubtrees, OfNothing) {
  for (const Index workers : {1, 2}) {
    const SubtreeGroups groups = group_subtrees(List{}, List{}, workers);
    for (Index g = 0; g < groups.count(); ++g) groups.for_each_in(g, [](Index) { FAIL(); });
    EXPECT_TRUE(groups.top.empty());
  }
}

}  // namespace
namespace {

using List = std::vector<Index>;

TEST(RowStructure, OfLiu1990) {
  const EliminationOrder order =
      elimination_order(uncompressed(liu_graph()), Permutation::identity(10));
  const AmalgamationOptions none{{0, 0, 0, 0}, {0, 0, 0, 0}};
  const Amalgamation amalgamation =
      amalgamate(fundamental_supernodes(order.parent, column_counts(order), order.weight), none);
  RowStructure rows = row_structure(order, amalgamation);
  // Postorder d b e a c f g h i j, by the letters of the paper. i and j share their structure.
  EXPECT_EQ(order.postorder.old_of, (List{3, 1, 4, 0, 2, 5, 6, 7, 8, 9}));
  EXPECT_EQ(rows.begin, (std::vector<Count>{0, 3, 6, 9, 12, 15, 18, 20, 23, 25}));
  EXPECT_EQ(rows.below, (List{2, 2, 2, 2, 2, 2, 1, 2, 0}));
  EXPECT_EQ(rows.facing_begin, (std::vector<Count>{0, 0, 0, 1, 1, 2, 2, 4, 8, 12}));
  expand_rows(amalgamation.supernodes, Permutation::identity(11).old_of, rows);
  EXPECT_EQ(rows.row,
            (List{0, 8, 9, 1, 2, 9, 2, 8, 9, 3, 4, 7, 4, 6, 7, 5, 6, 7, 6, 7, 7, 8, 9, 8, 9}));
}

/// Returns the rows of supernode s in its facing ranges, with the supernode that each range faces.
std::set<std::pair<Index, Index>> faced(const RowStructure& rows, Index s, Index supernodes) {
  std::set<std::pair<Index, Index>> result;
  for (Index facing = 0; facing < supernodes; ++facing) {
    for (const FacingRange& range : rows.facing_ranges(facing)) {
      if (range.source != s) continue;
      EXPECT_TRUE(rows.begin[s] < range.begin && range.begin < rows.begin[s + 1]);
      for (const Index row : rows.rows(range)) EXPECT_TRUE(result.emplace(row, facing).second);
    }
  }
  return result;
}

TEST(RowStructure, IsTheUnionOfTheColumnsOfAnElimination) {
  for (const auto& [setting, options] : amalgamation_samples()) {
    for (const Sample& sample : sample_graphs()) {
      SCOPED_TRACE(sample.name + ", " + setting);
      const EliminationOrder order = elimination_order(sample.compressed, sample.ordering);
      const Amalgamation amalgamation = amalgamate(
          fundamental_supernodes(order.parent, column_counts(order), order.weight), options);
      const Supernodes& supernodes = amalgamation.supernodes;
      RowStructure rows = row_structure(order, amalgamation);
      const List supernode = supernode_of_column(supernodes.begin);
      ASSERT_EQ(static_cast<Index>(rows.begin.size()), supernodes.count() + 1);
      ASSERT_EQ(static_cast<Index>(rows.facing_begin.size()), supernodes.count() + 1);
      for (Index s = 0; s < supernodes.count(); ++s) {
        std::set<std::pair<Index, Index>> expected;
        const Count below = rows.begin[s] + supernodes.width[s];
        for (Count k = below; k < below + rows.below[s]; ++k) {
          expected.emplace(rows.row[k], supernode[rows.row[k]]);
        }
        EXPECT_EQ(faced(rows, s, supernodes.count()), expected);
      }

      const ColumnNumbering columns = columns_of(sample, order, amalgamation.renumbering);
      const auto structure = brute_force_structure(sample.graph, columns.permutation);
      expand_rows(supernodes, columns.column_begin, rows);
      for (Index s = 0; s < supernodes.count(); ++s) {
        const Index first = columns.column_begin[supernodes.begin[s]];
        std::set<Index> expected;
        for (Index c = first; c < first + supernodes.width[s]; ++c) {
          expected.insert(c);
          expected.insert(structure[c].begin(), structure[c].end());
        }
        EXPECT_EQ(List(rows.row.begin() + rows.begin[s], rows.row.begin() + rows.begin[s + 1]),
                  List(expected.begin(), expected.end()))
            << "supernode " << s;
      }
    }
  }
}

TEST(RowStructure, DoesNotDependOnTheNumberOfThreads) {
  const CompressedGraph graph = compress(with_twins(grid_graph(150), 2));
  const EliminationOrder order = elimination_order(graph, grid_dissection(150));
  const Amalgamation amalgamation =
      amalgamate(fundamental_supernodes(order.parent, column_counts(order), order.weight), {});
  const RowStructure expected = row_structure(order, amalgamation);
  EXPECT_GT(expected.row.size(), 100'000u);  // enough for several threads
  for (const Index workers : {2, 3}) {
    const RowStructure rows = row_structure(order, amalgamation, workers);
    EXPECT_EQ(rows.begin, expected.begin);
    EXPECT_EQ(rows.row, expected.row);
    EXPECT_EQ(rows.below, expected.below);
    EXPECT_EQ(rows.facing_begin, expected.facing_begin);
    for (Index s = 0; s < amalgamation.supernodes.count(); ++s) {
      std::set<std::pair<Count, Index>> faced;
      std::set<std::pair<Count, Index>> expected_to_face;
      for (const FacingRange& range : rows.facing_ranges(s)) faced.emplace(range.begin, range.size);
      for (const FacingRange& range : expected.facing_ranges(s)) {
        expected_to_face.emplace(range.begin, range.size);
      }
      EXPECT_EQ(faced, expected_to_face);
    }
  }
}

}  // namespace
namespace {

using List = std::vector<Index>;

/// Vertices with the members {0, 2, 5}, {1} and {3, 4}.
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
namespace {

using testing::ContainerEq;

/// Returns all entries below the diagonal, numbered by the permutation.
std::vector<ColumnPair> pairs_of(const AdjacencyGraph& graph, const Permutation& permutation) {
  std::vector<ColumnPair> pairs;
  for (Index v = 0; v < graph.n; ++v) {
    for (const Index u : graph.of(v)) {
      if (permutation.new_of[u] >= permutation.new_of[v]) continue;
      pairs.push_back({permutation.new_of[u], permutation.new_of[v]});
    }
  }
  return pairs;
}

Supernodes supernodes_of(const SymbolicFactor& sizes_only) {
  Supernodes supernodes;
  supernodes.begin = sizes_only.supernode_begin;
  supernodes.parent = sizes_only.supernode_parent;
  for (Index s = 0; s < sizes_only.supernodes(); ++s) {
    supernodes.width.push_back(sizes_only.supernode_begin[s + 1] - sizes_only.supernode_begin[s]);
    supernodes.height.push_back(
        static_cast<Index>(sizes_only.row_begin[s + 1] - sizes_only.row_begin[s]));
  }
  return supernodes;
}

TEST(ForestRows, OfAWholeForestAreThoseOfTheSymbolicFactorization) {
  for (const Sample& sample : sample_graphs()) {
    for (const bool refine : {true, false}) {
      SCOPED_TRACE(sample.name + (refine ? "" : ", as ordered"));
      const CompressedGraph graph = uncompressed(sample.graph);
      const Permutation ordering = column_ordering(sample);
      const SymbolicOptions options{{}, 256, refine};
      const SymbolicFactor whole = symbolic_factorization(graph, ordering, options);
      const SymbolicFactor sizes_only =
          symbolic_sizes(graph, ordering, counted_order(graph, ordering), options);
      const ForestRows rows =
          forest_rows(supernodes_of(sizes_only), sizes_only.supernodes(),
                      pairs_of(sample.graph, sizes_only.permutation), refine, 2);
      EXPECT_THAT(rows.begin, ContainerEq(whole.row_begin));
      EXPECT_THAT(rows.row, ContainerEq(whole.row));
      EXPECT_THAT(compose(sizes_only.permutation, rows.renumbering).new_of,
                  ContainerEq(whole.permutation.new_of));
    }
  }
}

/// Supernodes 0 and 1 are below the supernode {2, 3, 4}. Sorting would change the order of its
/// columns.
TEST(ForestRows, LeaveThoseBehindAsTheyAre) {
  const Supernodes supernodes{{0, 1, 2, 5}, {2, 2, -1}, {1, 1, 3}, {3, 2, 3}};
  const std::vector<ColumnPair> pairs{{0, 2}, {0, 4}, {1, 3}, {2, 3}, {3, 3}};
  const ForestRows rows = forest_rows(supernodes, 2, pairs, true);
  EXPECT_THAT(rows.begin, testing::ElementsAre(0, 3, 5));
  EXPECT_THAT(rows.row, testing::ElementsAre(0, 2, 4, 1, 3));
  EXPECT_EQ(rows.renumbering.size(), 2);
}

}  // namespace
}  // namespace espalier::internal
