// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>

#include "ordering/concurrency.hpp"
#include "ordering/graphs.hpp"
#include "ordering/methods.hpp"

namespace espalier::internal {
namespace {

TEST(Scotch, GivesTheSameOrderAgain) {
  const CompressedGraph compressed = compress(space_grid_graph(12));
  const Permutation first = scotch_ordering(compressed);
  scotch_ordering(compress(grid_graph(30)));

  EXPECT_EQ(scotch_ordering(compressed).old_of, first.old_of);
}

TEST(Scotch, GivesTheSameOrderInConcurrentCalls) {
  const CompressedGraph compressed = compress(space_grid_graph(12));
  const Permutation alone = scotch_ordering(compressed);

  for (const auto& order : concurrent_orders(2, 5, [&] { return scotch_ordering(compressed); })) {
    EXPECT_EQ(order, alone.old_of);
  }
}

TEST(Scotch, LeavesTheThreadWhereItMayRun) {
  cpu_set_t before;
  cpu_set_t after;
  ASSERT_EQ(pthread_getaffinity_np(pthread_self(), sizeof before, &before), 0);
  scotch_ordering(compress(space_grid_graph(8)));
  ASSERT_EQ(pthread_getaffinity_np(pthread_self(), sizeof after, &after), 0);

  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

TEST(Scotch, PrintsNothing) {
  testing::internal::CaptureStderr();
  testing::internal::CaptureStdout();
  for (const auto& [name, graph] : ordering_graphs()) scotch_ordering(compress(graph));

  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace espalier::internal
