// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/bisected_minimum_degree.hpp"

#include <gtest/gtest.h>

#include "ordering/graphs.hpp"
#include "symbolic/column_counts.hpp"

namespace espalier {
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
}  // namespace espalier
