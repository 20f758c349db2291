// SPDX-License-Identifier: BSD-3-Clause

#include "symbolic/etree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "espalier/error.hpp"
#include "symbolic/brute_force.hpp"
#include "symbolic/sample_graphs.hpp"

namespace espalier::internal {
namespace {

using List = std::vector<Index>;

List sorted(std::span<const Index> list) {
  List result(list.begin(), list.end());
  std::sort(result.begin(), result.end());
  return result;
}

TEST(EliminationGraph, ListsEarlierAndLaterNeighbours) {
  for (const Sample& sample : sample_graphs()) {
    SCOPED_TRACE(sample.name);
    const AdjacencyGraph& given = sample.compressed.graph;
    const EliminationGraph graph = elimination_graph(given, sample.ordering);
    ASSERT_EQ(graph.n, given.n);
    for (Index v = 0; v < graph.n; ++v) {
      List expected;
      for (const Index u : given.of(sample.ordering.old_of[v])) {
        expected.push_back(sample.ordering.new_of[u]);
      }
      expected = sorted(expected);
      const auto middle = std::lower_bound(expected.begin(), expected.end(), v);
      EXPECT_EQ(sorted(graph.earlier(v)), List(expected.begin(), middle));
      EXPECT_EQ(sorted(graph.later(v)), List(middle, expected.end()));
    }
  }
}

TEST(EliminationGraph, DoesNotDependOnTheNumberOfThreads) {
  const AdjacencyGraph graph = grid_graph(150);
  const Permutation ordering = random_permutation(graph.n, 4);
  const EliminationGraph expected = elimination_graph(graph, ordering);
  for (const Index workers : {2, 3}) {
    const EliminationGraph result = elimination_graph(graph, ordering, workers);
    EXPECT_EQ(result.begin, expected.begin);
    EXPECT_EQ(result.later_begin, expected.later_begin);
    EXPECT_EQ(result.neighbour, expected.neighbour);
  }
}

TEST(EliminationGraph, RefusesAnOrderingOfAnotherSize) {
  EXPECT_THROW(elimination_graph(path_graph(4), Permutation::identity(3)), UsageError);
}

TEST(EarlierNeighbours, AreThoseOfPairsBeforeTheEnd) {
  const std::vector<ColumnPair> pairs{{0, 3}, {2, 4}, {1, 3}, {1, 1}, {3, 4}, {0, 2}};
  const EliminationGraph graph = earlier_neighbours(5, pairs, 3);
  EXPECT_EQ(sorted(graph.earlier(1)), List{});
  EXPECT_EQ(sorted(graph.earlier(2)), List{0});
  EXPECT_EQ(sorted(graph.earlier(3)), (List{0, 1}));
  EXPECT_EQ(sorted(graph.earlier(4)), List{2});
  EXPECT_TRUE(graph.later(3).empty());
}

}  // namespace
namespace {

using List = std::vector<Index>;

List natural_tree(const AdjacencyGraph& graph) {
  return elimination_tree(elimination_graph(graph, Permutation::identity(graph.n)));
}

TEST(EliminationTree, OfTheLiterature) {
  EXPECT_EQ(natural_tree(liu_graph()), (List{2, 4, 6, 8, 8, 6, 7, 8, 9, -1}));
  EXPECT_EQ(natural_tree(davis_graph()), (List{5, 2, 7, 5, 7, 6, 8, 9, 9, 10, -1}));
  EXPECT_EQ(natural_tree(chordal_graph()),
            (List{2, 2, 3, 4, 8, 8, 7, 8, 14, 10, 12, 12, 13, 15, 15, 16, -1}));
}

TEST(EliminationTree, OfExtremeShapes) {
  EXPECT_EQ(natural_tree(edgeless_graph(0)), List{});
  EXPECT_EQ(natural_tree(edgeless_graph(1)), List{-1});
  EXPECT_EQ(natural_tree(edgeless_graph(3)), (List{-1, -1, -1}));
  EXPECT_EQ(natural_tree(path_graph(4)), (List{1, 2, 3, -1}));
  EXPECT_EQ(natural_tree(complete_graph(4)), (List{1, 2, 3, -1}));
  EXPECT_EQ(natural_tree(star_graph(4, 3)), (List{3, 3, 3, -1}));
  EXPECT_EQ(natural_tree(star_graph(4, 0)), (List{1, 2, 3, -1}));
}

TEST(EliminationTree, IsAForestOfTheComponents) {
  const AdjacencyGraph graph = graph_of(6, {{0, 3}, {1, 4}, {3, 5}});
  EXPECT_EQ(natural_tree(graph), (List{3, 4, -1, 5, -1, -1}));
}

TEST(EliminationTree, ParentIsTheFirstRowBelowTheDiagonal) {
  for (const Sample& sample : sample_graphs()) {
    SCOPED_TRACE(sample.name);
    const AdjacencyGraph& graph = sample.compressed.graph;
    const auto structure = brute_force_structure(graph, sample.ordering);
    const List parent = elimination_tree(elimination_graph(graph, sample.ordering));
    ASSERT_EQ(parent.size(), structure.size());
    for (std::size_t v = 0; v < parent.size(); ++v) {
      EXPECT_EQ(parent[v], structure[v].size() > 1 ? structure[v][1] : -1) << v;
    }
  }
}

TEST(Postorder, PutsSubtreesTogether) {
  const Permutation order = postorder(List{4, 3, 4, 5, 5, -1});
  EXPECT_EQ(order.old_of, (List{1, 3, 0, 2, 4, 5}));
  EXPECT_NO_THROW(check(order));
}

TEST(Postorder, KeepsAPostorderedForest) {
  for (const List& parent : {List{}, List{-1, -1}, List{2, 2, 5, 4, 5, -1, 7, -1}}) {
    EXPECT_EQ(postorder(parent).new_of,
              Permutation::identity(static_cast<Index>(parent.size())).new_of);
  }
}

TEST(Postorder, NumbersEverySubtreeByARangeThatEndsWithItsRoot) {
  for (const Sample& sample : sample_graphs()) {
    SCOPED_TRACE(sample.name);
    const List forest =
        elimination_tree(elimination_graph(sample.compressed.graph, sample.ordering));
    const Permutation order = postorder(forest);
    ASSERT_NO_THROW(check(order));
    const List parent = renumbered_forest(forest, order);
    List first(parent.size());
    List size(parent.size(), 1);
    std::iota(first.begin(), first.end(), 0);
    for (std::size_t v = 0; v < parent.size(); ++v) {
      EXPECT_EQ(size[v], static_cast<Index>(v) - first[v] + 1);
      if (parent[v] == -1) continue;
      ASSERT_GT(parent[v], static_cast<Index>(v));
      first[parent[v]] = std::min(first[parent[v]], first[v]);
      size[parent[v]] += size[v];
    }
  }
}

TEST(Postorder, OfAMillionVerticesInOnePath) {
  List parent(1'000'000);
  std::iota(parent.begin(), parent.end(), 1);
  parent.back() = -1;
  EXPECT_EQ(postorder(parent).new_of[999'999], 999'999);
}

TEST(FirstDescendants, AreTheLeavesThatSubtreesBeginWith) {
  EXPECT_EQ(first_descendants(List{2, 2, 5, 4, 5, -1, 7, -1}), (List{0, 1, 0, 3, 3, 0, 6, 6}));
}

TEST(EliminationOrder, IsAnEquivalentPostorder) {
  for (const Sample& sample : sample_graphs()) {
    SCOPED_TRACE(sample.name);
    const AdjacencyGraph& graph = sample.compressed.graph;
    const EliminationOrder order = elimination_order(sample.compressed, sample.ordering);
    const Permutation permutation = compose(sample.ordering, order.postorder);
    EXPECT_EQ(order.parent, elimination_tree(elimination_graph(graph, permutation)));
    EXPECT_EQ(postorder(order.parent).new_of, Permutation::identity(graph.n).new_of);
    EXPECT_EQ(entries_of(brute_force_structure(graph, permutation)),
              entries_of(brute_force_structure(graph, sample.ordering)));
    for (Index v = 0; v < order.size(); ++v) {
      EXPECT_EQ(order.weight[v], sample.compressed.weight[permutation.old_of[v]]);
    }
  }
}

TEST(EliminationOrder, RefusesAnOrderingOfAnotherSize) {
  EXPECT_THROW(elimination_order(uncompressed(path_graph(4)), Permutation::identity(3)),
               UsageError);
}

}  // namespace
}  // namespace espalier::internal
