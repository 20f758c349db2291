// SPDX-License-Identifier: BSD-3-Clause

#include <gtest/gtest.h>

#include "ordering/graphs.hpp"
#include "ordering/methods.hpp"
#include "symbolic/column_counts.hpp"

namespace espalier::internal {
namespace {

TEST(Amd, EliminatesTreesWithoutFill) {
  for (const AdjacencyGraph& tree : {path_graph(100), star_graph(50, 0), star_graph(50, 20)}) {
    const MinimumDegree result = amd_ordering(compress(tree));

    EXPECT_EQ(counted_cost(compress(tree), result.permutation).entries, 2 * tree.n - 1);
    EXPECT_EQ(result.estimate.entries, 2 * tree.n - 1);
  }
}

TEST(Amd, EstimatesCostFromAboveAndClosely) {
  for (const AdjacencyGraph& graph :
       {grid_graph(30), space_grid_graph(10), random_graph(300, 900, 3), liu_graph()}) {
    const MinimumDegree result = amd_ordering(compress(graph));
    const OrderingCost exact = counted_cost(compress(graph), result.permutation);

    EXPECT_GE(result.estimate.entries, exact.entries);
    EXPECT_LE(result.estimate.entries, 1.05 * exact.entries);
    EXPECT_GE(result.estimate.flops, exact.flops);
    EXPECT_LE(result.estimate.flops, 1.1 * exact.flops);
  }
}

TEST(Amd, EstimatesCostOfACompressedGraphClosely) {
  const AdjacencyGraph graph = multiplied(space_grid_graph(7), 3);
  const MinimumDegree result = amd_ordering(compress(graph));
  const OrderingCost exact = counted_cost(compress(graph), result.permutation);

  EXPECT_NEAR(result.estimate.entries / exact.entries, 1, 0.05);
  EXPECT_NEAR(result.estimate.flops / exact.flops, 1, 0.1);
}

TEST(Amd, SeesSingleVerticesWhereFewAreMerged) {
  // A grid next to a complete graph: 400 vertices that do not merge, and one of weight 60.
  const CompressedGraph compressed = compress(side_by_side(grid_graph(20), complete_graph(60), 0));
  const MinimumDegree result = amd_ordering(compressed);
  const OrderingCost exact = counted_cost(compressed, result.permutation);

  EXPECT_EQ(result.permutation.size(), 401);
  EXPECT_NEAR(result.estimate.flops / exact.flops, 1, 0.05);
}

/// A path whose vertices each have a hub as a neighbour. Hubs have the last numbers.
AdjacencyGraph path_with_hubs(Index n, Index hubs) {
  Edges edges;
  for (Index v = 0; v < n; ++v) {
    if (v + 1 < n) edges.emplace_back(v, v + 1);
    edges.emplace_back(v, n + v * 7 % hubs);
  }
  return graph_of(n + hubs, edges);
}

TEST(Amd, EliminatesHubsLast) {
  // Each hub has 200 neighbours, less than 10 sqrt(n) = 449.
  const Index n = 2000;
  const Permutation order = amd_ordering(uncompressed(path_with_hubs(n, 10))).permutation;
  for (Index place = 0; place < n; ++place) EXPECT_LT(order.old_of[place], n) << place;
}

TEST(Amd, TakesAVertexForAHubByTheMeanDegree) {
  EXPECT_EQ(dense_degree_factor(10'000, 40'000), 1);      // at least 100 neighbours
  EXPECT_EQ(dense_degree_factor(10'000, 400'000), 4);     // ten times the mean degree 40
  EXPECT_EQ(dense_degree_factor(10'000, 4'000'000), 10);  // AMD's default
}

TEST(Amd, OfNoVerticesCostsNothing) {
  const AdjacencyGraph none = edgeless_graph(0);
  const MinimumDegree result = amd_ordering(compress(none));

  EXPECT_EQ(result.permutation.size(), 0);
  EXPECT_EQ(result.estimate.flops, 0);
  EXPECT_EQ(result.estimate.entries, 0);
}

}  // namespace
namespace {

const CompressedGraph& large_grid() {
  static const CompressedGraph graph = uncompressed(grid_graph(620));
  return graph;
}

TEST(BisectedMinimumDegree, IsAboutAsGoodAsAmdAndEstimatedFromAbove) {
  const std::optional<MinimumDegree> halves = bisected_minimum_degree(large_grid(), {});
  ASSERT_TRUE(halves);
  EXPECT_NO_THROW(check(halves->permutation));

  const OrderingCost cost = factorization_cost(counted_order(large_grid(), halves->permutation));
  const OrderingCost amd =
      factorization_cost(counted_order(large_grid(), amd_ordering(large_grid()).permutation));
  EXPECT_LT(cost.entries, 1.2 * amd.entries);
  EXPECT_GE(halves->estimate.entries, cost.entries);
  EXPECT_GE(halves->estimate.flops, cost.flops);
  EXPECT_LT(halves->estimate.entries, 1.5 * cost.entries);
}

TEST(BisectedMinimumDegree, IsTheSameForOneWorkerAndTwo) {
  OrderingRequest request;
  request.workers = 2;
  EXPECT_EQ(bisected_minimum_degree(large_grid(), request)->permutation.old_of,
            bisected_minimum_degree(large_grid(), {})->permutation.old_of);
}

TEST(BisectedMinimumDegree, LeavesSmallGraphsAndLargeSeparators) {
  EXPECT_FALSE(bisected_minimum_degree(uncompressed(grid_graph(100)), {}));
  EXPECT_FALSE(bisected_minimum_degree(uncompressed(space_grid_graph(65)), {}));
}

}  // namespace
}  // namespace espalier::internal
