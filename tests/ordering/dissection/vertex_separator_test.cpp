// SPDX-License-Identifier: BSD-3-Clause

#include "ordering/dissection/vertex_separator.hpp"

#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "espalier/error.hpp"
#include "ordering/adjacency.hpp"
#include "ordering/dissection/separator_refinement.hpp"
#include "ordering/graphs.hpp"

namespace espalier::internal {

/// Returns the graph with a weight of one for every vertex and edge.
inline WeightedGraph weighted(const AdjacencyGraph& adjacency) {
  WeightedGraph graph;
  graph.begin.assign(adjacency.begin.begin(), adjacency.begin.end());
  graph.neighbour = adjacency.neighbour;
  graph.weight.assign(adjacency.n, 1);
  graph.total_weight = adjacency.n;
  return graph;
}

/// Sets the weight of some vertices.
inline void set_weight(WeightedGraph& graph, Index begin, Index end, Index weight) {
  for (Index v = begin; v < end; ++v) {
    graph.total_weight += weight - graph.weight[v];
    graph.weight[v] = weight;
  }
}

namespace {

/// Returns the weight of every edge of the contracted graph, summed directly.
std::map<std::pair<Index, Index>, Index> contracted_edges(const WeightedGraph& graph,
                                                          const std::vector<Index>& coarse_of) {
  std::map<std::pair<Index, Index>, Index> weight;
  for (Index v = 0; v < graph.n(); ++v) {
    for (Index e = graph.begin[v]; e < graph.begin[v + 1]; ++e) {
      const Index from = coarse_of[v];
      const Index to = coarse_of[graph.neighbour[e]];
      if (from != to) weight[{from, to}] += graph.edge_weight.empty() ? 1 : graph.edge_weight[e];
    }
  }
  return weight;
}

void expect_image(const WeightedGraph& graph, const CoarseGraph& coarse, Index heaviest) {
  std::vector<Index> weight(coarse.graph.n(), 0);
  for (Index v = 0; v < graph.n(); ++v) weight[coarse.coarse_of[v]] += graph.weight[v];
  EXPECT_EQ(coarse.graph.weight, weight);
  EXPECT_EQ(coarse.graph.total_weight, graph.total_weight);
  for (const Index w : weight) EXPECT_LE(w, heaviest);

  std::map<std::pair<Index, Index>, Index> edges;
  for (Index c = 0; c < coarse.graph.n(); ++c) {
    for (Index e = coarse.graph.begin[c]; e < coarse.graph.begin[c + 1]; ++e) {
      EXPECT_TRUE(
          edges.emplace(std::pair(c, coarse.graph.neighbour[e]), coarse.graph.edge_weight[e])
              .second);
    }
  }
  EXPECT_EQ(edges, contracted_edges(graph, coarse.coarse_of));
}

TEST(Coarsen, SumsWeightsOfVerticesAndEdges) {
  for (const auto& [name, adjacency] : ordering_graphs()) {
    SCOPED_TRACE(name);
    const WeightedGraph graph = weighted(adjacency);
    const CoarseGraph once = coarsen(graph, 100);
    expect_image(graph, once, 100);
    expect_image(once.graph, coarsen(once.graph, 100), 100);
  }
}

TEST(Coarsen, NearlyHalvesGridsStarsAndVerticesWithoutEdges) {
  for (const AdjacencyGraph& adjacency :
       {grid_graph(30), space_grid_graph(10), star_graph(900, 0), edgeless_graph(900)}) {
    const WeightedGraph graph = weighted(adjacency);
    EXPECT_LT(coarsen(graph, 2).graph.n(), 0.6 * graph.n());
  }
}

TEST(Coarsen, MergesNothingThatWouldBeTooHeavy) {
  const WeightedGraph graph = weighted(grid_graph(10));

  EXPECT_EQ(coarsen(graph, 1).graph.n(), graph.n());
}

TEST(Coarsen, PrefersHeavyEdges) {
  WeightedGraph path = weighted(path_graph(4));  // edges 0-1, 1-2, 2-3
  path.edge_weight = {1, 1, 5, 5, 1, 1};
  const CoarseGraph coarse = coarsen(path, 2);
  path.edge_weight = {5, 5, 1, 1, 5, 5};

  EXPECT_EQ(coarsen(path, 2).coarse_of, (std::vector<Index>{0, 0, 1, 1}));
  EXPECT_NE(coarse.coarse_of[0], coarse.coarse_of[2]);
}

}  // namespace
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
