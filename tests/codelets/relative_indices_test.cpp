// SPDX-License-Identifier: BSD-3-Clause

#include "codelets/relative_indices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace espalier::internal {
namespace {

std::vector<Index> merged(const std::vector<Index>& subset, const std::vector<Index>& list) {
  std::vector<Index> position(subset.size(), -1);
  merge_positions(subset, list, position.data());
  return position;
}

TEST(IndexMap, KnowsConsecutiveNumbers) {
  const std::vector<Index> none;
  EXPECT_TRUE(contiguous(none));
  EXPECT_TRUE(contiguous(std::vector<Index>{7}));
  EXPECT_TRUE(contiguous(std::vector<Index>{0, 1, 2}));
  EXPECT_FALSE(contiguous(std::vector<Index>{0, 2}));
  EXPECT_FALSE(contiguous(std::vector<Index>{3, 4, 6, 7}));
}

TEST(IndexMap, FindsEveryMember) {
  EXPECT_THAT(merged({}, {1, 2}), testing::IsEmpty());
  EXPECT_THAT(merged({5}, {5}), testing::ElementsAre(0));
  EXPECT_THAT(merged({2, 3, 9}, {0, 2, 3, 5, 9, 10}), testing::ElementsAre(1, 2, 4));
  EXPECT_THAT(merged({4, 8}, {4, 8}), testing::ElementsAre(0, 1));
}

/// A list ends at its last member, so entries behind it are not read.
TEST(IndexMap, StopsAtTheLastMember) {
  const std::vector<Index> list{1, 3, 5};
  Index position = -1;
  const Index wanted = 3;
  merge_positions({&wanted, 1}, std::span(list).first(2), &position);
  EXPECT_EQ(position, 1);
}

}  // namespace
}  // namespace espalier::internal
