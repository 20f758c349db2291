// SPDX-License-Identifier: BSD-3-Clause

#include "ordering/dissection/coarsening.hpp"

#include <gtest/gtest.h>

#include <map>
#include <utility>
#include <vector>

#include "ordering/dissection/weighted_graphs.hpp"
#include "ordering/graphs.hpp"

namespace espalier::internal {
namespace {

/// Returns the weight of every edge of the contracted graph, summed directly.
std::map<std::pair<Index, Index>, Index> contracted_edges(
    const WeightedGraph& graph, const UninitializedVector<Index>& coarse_of) {
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
  UninitializedVector<Index> weight(coarse.graph.n(), 0);
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

  EXPECT_EQ(coarsen(path, 2).coarse_of, (UninitializedVector<Index>{0, 0, 1, 1}));
  EXPECT_NE(coarse.coarse_of[0], coarse.coarse_of[2]);
}

TEST(Coarsen, GivesTheSameGraphWhateverTheOrderOfTheBlocks) {
  for (const AdjacencyGraph& adjacency :
       {grid_graph(150), space_grid_graph(26), star_graph(20000, 9000), edgeless_graph(9000)}) {
    CoarseGraph serial{weighted(adjacency), {}};
    CoarseGraph parallel{weighted(adjacency), {}};
    for (int level = 0; level < 3; ++level) {
      serial = coarsen(serial.graph, 100);
      parallel = coarsen(parallel.graph, 100, disorderly_loop);

      EXPECT_EQ(parallel.coarse_of, serial.coarse_of);
      EXPECT_EQ(parallel.graph.begin, serial.graph.begin);
      EXPECT_EQ(parallel.graph.neighbour, serial.graph.neighbour);
      EXPECT_EQ(parallel.graph.edge_weight, serial.graph.edge_weight);
    }
  }
}

TEST(Coarsen, SumsWeightsOfSeveralBlocks) {
  for (const AdjacencyGraph& adjacency : {grid_graph(150), star_graph(20000, 9000)}) {
    const WeightedGraph graph = weighted(adjacency);
    const CoarseGraph once = coarsen(graph, 100);
    expect_image(graph, once, 100);
    expect_image(once.graph, coarsen(once.graph, 100), 100);
  }
}

}  // namespace
}  // namespace espalier::internal
