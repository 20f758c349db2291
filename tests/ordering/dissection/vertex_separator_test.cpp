// SPDX-License-Identifier: BSD-3-Clause

#include "ordering/dissection/vertex_separator.hpp"

#include <gtest/gtest.h>

#include "espalier/error.hpp"
#include "ordering/dissection/separator_refinement.hpp"
#include "ordering/dissection/weighted_graphs.hpp"
#include "ordering/graphs.hpp"

namespace espalier::internal {

namespace {

constexpr SeparationCost balanced{0.6};
const std::atomic<bool> never = false;

Index separator_weight(const Separation& separation) {
  return separation.weight[Separation::separator];
}

TEST(SeparatorFinder, SeparatesEveryGraph) {
  SeparatorFinder finder(balanced, never);
  for (const auto& [name, adjacency] : ordering_graphs()) {
    SCOPED_TRACE(name);
    if (adjacency.n == 0) continue;
    const WeightedGraph graph = weighted(adjacency);

    EXPECT_NO_THROW(check(graph, finder.find(graph, 1)));
  }
}

TEST(SeparatorFinder, ComesCloseToTheBestSeparatorsOfGrids) {
  SeparatorFinder finder(balanced, never);

  EXPECT_LE(separator_weight(finder.find(weighted(path_graph(3000)), 1)), 1);
  EXPECT_LE(separator_weight(finder.find(weighted(grid_graph(60)), 1)), 66);
  EXPECT_LE(separator_weight(finder.find(weighted(space_grid_graph(16)), 1)), 300);
  EXPECT_LE(separator_weight(finder.find(weighted(star_graph(3000, 7)), 1)), 1);
}

TEST(SeparatorFinder, KeepsSidesWithinTheirShare) {
  for (const double share : {0.55, 0.6, 0.7}) {
    SeparatorFinder finder({share}, never);
    for (const AdjacencyGraph& adjacency : {grid_graph(40), space_grid_graph(12)}) {
      const Separation separation = finder.find(weighted(adjacency), 1);
      const Index sides = separation.weight[0] + separation.weight[1];

      EXPECT_LE(std::max(separation.weight[0], separation.weight[1]), share * sides);
    }
  }
}

TEST(SeparatorFinder, CountsTheColumnsBehindAVertex) {
  WeightedGraph graph = weighted(path_graph(401));
  set_weight(graph, 0, 20, 200);
  const Separation separation = SeparatorFinder(balanced, never).find(graph, 1);

  EXPECT_NO_THROW(check(graph, separation));
  EXPECT_NE(separation.part[0], separation.part[25]);
  EXPECT_EQ(separation.part[25], separation.part[400]);
}

TEST(SeparatorFinder, NeedsNoSeparatorBetweenComponents) {
  const WeightedGraph graph = weighted(side_by_side(grid_graph(15), grid_graph(15), 20));

  EXPECT_EQ(separator_weight(SeparatorFinder(balanced, never).find(graph, 1)), 0);
}

TEST(SeparatorFinder, FindsTheSameAgainWhateverItDidBefore) {
  const WeightedGraph graph = weighted(space_grid_graph(12));
  SeparatorFinder used(balanced, never);
  const auto first = used.find(graph, 5).part;
  used.find(weighted(grid_graph(50)), 3);

  EXPECT_EQ(used.find(graph, 5).part, first);
  EXPECT_EQ(SeparatorFinder(balanced, never).find(graph, 5).part, first);
}

TEST(SeparatorFinder, GivesUpWhenCancelled) {
  const std::atomic<bool> cancelled = true;

  EXPECT_TRUE(SeparatorFinder(balanced, cancelled).find(weighted(grid_graph(50)), 1).part.empty());
}

TEST(Separation, CheckNamesEdgesAcrossAndWrongWeights) {
  const WeightedGraph graph = weighted(path_graph(3));

  EXPECT_NO_THROW(check(graph, {{0, 2, 1}, {1, 1, 1}}));
  EXPECT_THROW(check(graph, {{0, 1, 2}, {1, 1, 1}}), InputError);
  EXPECT_THROW(check(graph, {{0, 2, 1}, {2, 1, 1}}), InputError);
}

TEST(SeparationCost, PrefersSmallSeparatorsThenBalance) {
  const auto cost = [](Index side0, Index side1, Index separator) {
    return balanced.of({{}, {side0, side1, separator}});
  };
  EXPECT_LT(cost(50, 50, 9), cost(50, 50, 10));
  EXPECT_LT(cost(45, 55, 9), cost(50, 50, 10));
  EXPECT_LT(cost(50, 50, 10), cost(45, 55, 10));
  EXPECT_LT(cost(50, 50, 20), cost(90, 10, 2));
}

}  // namespace
}  // namespace espalier::internal
