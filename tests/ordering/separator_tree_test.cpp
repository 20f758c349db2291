// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/separator_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "ordering/graphs.hpp"
#include "ordering/methods.hpp"
#include "support/expect.hpp"

namespace espalier::internal {
namespace {

using Parts = std::vector<TreePart>;
using support::expect_error;

/// Two leaves, their separator, another leaf, and the root.
const Parts five{{2, 0, 2}, {2, 2, 3}, {4, 3, 4}, {4, 4, 6}, {-1, 6, 7}};

TEST(SeparatorTree, ConsistsOfNestedRanges) {
  EXPECT_EQ(tree_of({{4, 4, 6}, {0, 6, 7}, {2, 2, 3}, {0, 3, 4}, {0, 0, 2}}), five);
}

TEST(SeparatorTree, HasNoEmptyRanges) {
  EXPECT_EQ(tree_of({{0, 0, 0}, {0, 0, 3}, {0, 3, 3}, {3, 3, 3}}), (Parts{{-1, 0, 3}}));
  EXPECT_EQ(tree_of({{0, 0, 0}}), one_part(0));
  EXPECT_EQ(tree_of({{0, 0, 1}, {1, 1, 3}, {0, 3, 3}}), (Parts{{2, 0, 1}, {2, 1, 3}, {-1, 3, 3}}));
}

TEST(SeparatorTree, KnowsWhichPartsAreRelated) {
  const Ancestry ancestry(five);
  for (Index a = 0; a < 5; ++a) {
    EXPECT_TRUE(ancestry.contains(a, a));
    EXPECT_TRUE(ancestry.contains(4, a));
    EXPECT_EQ(ancestry.common(a, 4), 4);
  }
  EXPECT_TRUE(ancestry.related(0, 2));
  EXPECT_FALSE(ancestry.related(0, 1));
  EXPECT_FALSE(ancestry.related(3, 2));
  EXPECT_EQ(ancestry.common(0, 1), 2);
  EXPECT_EQ(ancestry.common(1, 3), 4);
  EXPECT_EQ(ancestry.first(2), 0);
  EXPECT_EQ(ancestry.first(4), 0);
  EXPECT_EQ(ancestry.first(3), 3);
  EXPECT_TRUE(ancestry.is_leaf(3));
  EXPECT_FALSE(ancestry.is_leaf(2));
}

TEST(SeparatorTree, OfDissectionSeparatesEveryGraph) {
  for (const auto& [name, graph] : ordering_graphs()) {
    SCOPED_TRACE(name);
    const CompressedGraph compressed = compress(graph);
    const DissectedOrder order = dissection_ordering(compressed, 2);
    EXPECT_NO_THROW(check(in_columns(compressed, order.permutation, order.part), graph));
  }
}

TEST(SeparatorTree, OfDissectionDoesNotDependOnThreads) {
  const CompressedGraph compressed = compress(grid_graph(120));
  const Parts first = dissection_ordering(compressed, 1).part;
  EXPECT_GT(first.size(), 50u);
  for (const Index threads : {2, 5}) {
    EXPECT_EQ(dissection_ordering(compressed, threads).part, first) << threads;
  }
}

TEST(SeparatorTree, IsCheckedPartByPart) {
  const AdjacencyGraph edgeless = edgeless_graph(7);
  const auto expect_fault = [&](Index part, TreePart wrong, const std::string& reason) {
    SeparatorTree tree{Permutation::identity(7).old_of, five};
    tree.part[part] = wrong;
    expect_error<InputError>([&] { check(tree, edgeless); },
                             {"part " + std::to_string(part), reason});
  };
  check(SeparatorTree{Permutation::identity(7).old_of, five}, edgeless);
  expect_fault(0, {2, 1, 2}, "begins at position 1 instead of 0");
  expect_fault(1, {2, 2, 1}, "ends at position 1");
  expect_fault(3, {4, 4, 8}, "ends at position 8");
  expect_fault(4, {-1, 6, 6}, "the tree has 7 columns");
  expect_fault(4, {4, 6, 7}, "the last one has -1");
  expect_fault(1, {4, 2, 3}, "its parent is 4; expected 2 to 2");
  expect_fault(2, {2, 3, 4}, "its parent is 2; expected 3 to 4");
  expect_fault(3, {-1, 4, 6}, "its parent is -1; expected 4 to 4");
}

TEST(SeparatorTree, IsCheckedAgainstTheGraph) {
  const SeparatorTree tree{Permutation::identity(7).old_of, five};
  EXPECT_NO_THROW(check(tree, graph_of(7, {{0, 1}, {0, 3}, {2, 3}, {3, 6}, {5, 6}, {0, 6}})));
  expect_error<InputError>([&] { check(tree, graph_of(7, {{1, 2}})); }, {"column 1", "column 2"});
  expect_error<InputError>([&] { check(tree, graph_of(7, {{3, 5}})); }, {"column 3", "column 5"});
}

TEST(SeparatorTree, IsReadForMergedVertices) {
  const CompressedGraph graph = compress(multiplied(grid_graph(40), 2));
  const DissectedOrder order = dissection_ordering(graph, 1);
  const SeparatorTree tree = in_columns(graph, order.permutation, order.part);

  EXPECT_EQ(in_merged_vertices(graph, order.permutation, tree), order.part);
  SeparatorTree shifted = tree;
  std::rotate(shifted.column.begin(), shifted.column.begin() + 1, shifted.column.end());
  EXPECT_FALSE(in_merged_vertices(graph, contract(graph, Permutation::from_old_of(shifted.column)),
                                  shifted));
}

}  // namespace
}  // namespace espalier::internal
