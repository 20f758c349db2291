// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/elimination_graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "espalier/error.hpp"
#include "symbolic/sample_graphs.hpp"

namespace espalier {
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
}  // namespace espalier
