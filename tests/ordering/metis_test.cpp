// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <metis.h>

#include <cstdlib>
#include <limits>

#include "ordering/concurrency.hpp"
#include "ordering/graphs.hpp"
#include "ordering/methods.hpp"

namespace espalier::internal {
namespace {

TEST(Metis, GivesTheSameOrderWhateverWasDrawnBefore) {
  const CompressedGraph compressed = compress(grid_graph(40));
  srand(1);
  const Permutation first = metis_ordering(compressed);
  srand(99);
  rand();

  EXPECT_EQ(metis_ordering(compressed).old_of, first.old_of);
}

TEST(Metis, GivesTheSameOrderInConcurrentCalls) {
  const CompressedGraph compressed = compress(grid_graph(40));
  const Permutation alone = metis_ordering(compressed);

  for (const auto& order : concurrent_orders(2, 5, [&] { return metis_ordering(compressed); })) {
    EXPECT_EQ(order, alone.old_of);
  }
}

TEST(Metis, LeavesTheRandomSequenceOfTheApplicationAlone) {
  srand(5);
  const std::vector<int> expected{rand(), rand(), rand()};
  const CompressedGraph compressed = compress(grid_graph(20));

  srand(5);
  std::vector<int> drawn{rand()};
  metis_ordering(compressed);
  drawn.push_back(rand());
  metis_ordering(compressed);
  drawn.push_back(rand());

  EXPECT_EQ(drawn, expected);
}

TEST(Metis, CountsTheColumnsBehindAVertex) {
  // The first vertex of the path stands for as many columns as all others. So the middle by weight
  // is near that end, and a dissection that ignores weights would separate elsewhere.
  CompressedGraph compressed = compress(path_graph(401));
  ASSERT_EQ(compressed.graph.n, 401);
  const Permutation even = metis_ordering(compressed);
  for (Index v = 0; v < 20; ++v) compressed.weight[v] = 200;

  EXPECT_GT(even.old_of.back(), 50);
  EXPECT_LT(metis_ordering(compressed).old_of.back(), 50);
}

TEST(Metis, AcceptsWhatItsIndexTypeCanCount) {
  constexpr Count most_in_32_bits = std::numeric_limits<std::int32_t>::max();

  EXPECT_TRUE(metis_accepts(most_in_32_bits));
  EXPECT_EQ(metis_accepts(most_in_32_bits + 1), sizeof(idx_t) > sizeof(std::int32_t));
}

}  // namespace
}  // namespace espalier::internal
