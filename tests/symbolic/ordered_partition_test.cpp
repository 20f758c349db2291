// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/ordered_partition.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace espalier {
namespace {

using List = std::vector<Index>;

OrderedPartition partition_of(Index first, Index size) {
  OrderedPartition partition;
  partition.reset(first, size);
  return partition;
}

/// The vertices in their order.
List order_of(const OrderedPartition& partition, Index first, Index size) {
  List order(size, -1);
  for (Index v = first; v < first + size; ++v) order[partition.position(v)] = v;
  return order;
}

TEST(OrderedPartition, StartsAsOneClassInOrder) {
  const OrderedPartition partition = partition_of(10, 4);
  EXPECT_EQ(order_of(partition, 10, 4), (List{10, 11, 12, 13}));
  EXPECT_FALSE(partition.is_finest());
  EXPECT_TRUE(partition_of(10, 1).is_finest());
}

TEST(OrderedPartition, MovesMembersToTheRightOfTheirClass) {
  OrderedPartition partition = partition_of(0, 5);
  partition.refine(List{0, 2});
  const List order = order_of(partition, 0, 5);
  EXPECT_EQ(List(order.begin() + 3, order.end()), (List{0, 2}));
}

TEST(OrderedPartition, MovesMembersToASetThatIsMetAsAWhole) {
  OrderedPartition partition = partition_of(0, 6);
  partition.refine(List{0, 1});        // {2 3 4 5} {0 1}
  partition.refine(List{0, 1, 3, 5});  // {2 4} {3 5} {0 1}
  List order = order_of(partition, 0, 6);
  EXPECT_EQ(List(order.begin() + 4, order.end()), (List{0, 1}));
  EXPECT_TRUE((order[2] == 3 && order[3] == 5) || (order[2] == 5 && order[3] == 3));
  partition.refine(List{2, 3, 5});  // {4} {2} {3 5} {0 1}
  order = order_of(partition, 0, 6);
  EXPECT_EQ(order[0], 4);
  EXPECT_EQ(order[1], 2);
}

TEST(OrderedPartition, IgnoresSetsThatSplitNothing) {
  OrderedPartition partition = partition_of(0, 4);
  partition.refine(List{1, 2});
  const List order = order_of(partition, 0, 4);
  partition.refine(List{1, 2});
  partition.refine(List{0, 1, 2, 3});
  partition.refine(List{});
  EXPECT_EQ(order_of(partition, 0, 4), order);
}

TEST(OrderedPartition, EndsWithSingleVertices) {
  OrderedPartition partition = partition_of(3, 4);
  for (Index v = 3; v < 7; ++v) partition.refine(List{v});
  EXPECT_TRUE(partition.is_finest());
  partition.reset(0, 2);
  EXPECT_FALSE(partition.is_finest());
  EXPECT_EQ(order_of(partition, 0, 2), (List{0, 1}));
}

}  // namespace
}  // namespace espalier
