// SPDX-License-Identifier: BSD-3-Clause

#include "ordering/dissection/separator_refinement.hpp"

#include <gtest/gtest.h>

namespace espalier::internal {
namespace {

std::vector<Index> drained(GainBuckets& queue) {
  std::vector<Index> order;
  while (!queue.empty()) {
    order.push_back(queue.best());
    queue.remove(order.back());
  }
  return order;
}

TEST(GainBuckets, GiveTheLargestGainFirst) {
  GainBuckets queue;
  queue.reset(5, 10);
  queue.insert(0, -3);
  queue.insert(1, 7);
  queue.insert(2, 0);
  queue.insert(3, -40);
  queue.insert(4, 2);

  EXPECT_EQ(drained(queue), (std::vector<Index>{1, 4, 2, 0, 3}));
}

TEST(GainBuckets, GiveTheLatestOfEqualGainsFirst) {
  GainBuckets queue;
  queue.reset(3, 1);
  for (const Index v : {1, 0, 2}) queue.insert(v, 1);

  EXPECT_EQ(drained(queue), (std::vector<Index>{2, 0, 1}));
}

TEST(GainBuckets, FollowUpdatesAndRemovals) {
  GainBuckets queue;
  queue.reset(4, 10);
  for (const Index v : {0, 1, 2, 3}) queue.insert(v, v);
  queue.raise(0, 9);
  queue.raise(3, -12);
  queue.remove(1);

  EXPECT_EQ(drained(queue), (std::vector<Index>{0, 2, 3}));
}

TEST(GainBuckets, TakeGainsOfAnySize) {
  GainBuckets queue;
  queue.reset(4, 1'000'000);
  queue.insert(0, std::numeric_limits<Index>::min());
  queue.insert(1, 1'000'000);
  queue.insert(2, std::numeric_limits<Index>::max());
  queue.insert(3, -1'000'000);

  EXPECT_EQ(drained(queue), (std::vector<Index>{2, 1, 3, 0}));
}

TEST(GainBuckets, AreEmptyAfterReset) {
  GainBuckets queue;
  queue.reset(2, 1);
  queue.insert(1, 1);
  queue.reset(8, 1);
  EXPECT_TRUE(queue.empty());

  queue.insert(7, -1);
  EXPECT_EQ(queue.best(), 7);
}

}  // namespace
}  // namespace espalier::internal
