// SPDX-License-Identifier: BSD-3-Clause
#include "base/packed_triangle.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "base/address_space.hpp"

namespace espalier {
namespace {

class PackedTriangleOfOrder : public testing::TestWithParam<Index> {};

TEST_P(PackedTriangleOfOrder, KeepsEveryEntryAtAnAddressOfItsOwn) {
  const Index order = GetParam();
  std::vector<double> memory(PackedTriangle::entries(order));
  const PackedTriangle triangle(memory.data(), order);
  std::vector<int> uses(memory.size(), 0);
  for (Index j = 0; j < order; ++j) {
    for (Index i = PackedTriangle::strip_of(j); i < order; ++i) {
      const auto at = triangle.at(i, j) - memory.data();
      ASSERT_GE(at, 0);
      ASSERT_LT(at, std::ssize(memory)) << i << ", " << j;
      ++uses[at];
    }
  }
  for (std::size_t k = 0; k < uses.size(); ++k) ASSERT_EQ(uses[k], 1) << "entry " << k;
}

TEST_P(PackedTriangleOfOrder, HasColumnsOfAStripOneLeadingDimensionApart) {
  const Index order = GetParam();
  std::vector<double> memory(PackedTriangle::entries(order));
  const PackedTriangle triangle(memory.data(), order);
  for (Index j = 0; j < order; ++j) {
    const Index begin = PackedTriangle::strip_of(j);
    const Index end = triangle.strip_end(j);
    ASSERT_EQ(begin % PackedTriangle::strip_width, 0);
    ASSERT_LE(begin, j);
    ASSERT_LT(j, end);
    ASSERT_LE(end, order);
    ASSERT_EQ(triangle.ld(j), order - begin);
    if (j + 1 < end) {
      ASSERT_EQ(triangle.at(j + 1, j + 1) - triangle.at(j + 1, j), triangle.ld(j));
    }
    if (j + 1 < order) {
      ASSERT_EQ(triangle.at(j + 1, j) - triangle.at(j, j), 1);
    }
  }
}

TEST_P(PackedTriangleOfOrder, TakesHalfOfTheSquareAndHalfAStrip) {
  const Count n = GetParam();
  const Count entries = PackedTriangle::entries(GetParam());
  EXPECT_GE(entries, n * (n + 1) / 2);
  EXPECT_LE(entries, n * n);
  EXPECT_LE(entries, n * (n + PackedTriangle::strip_width) / 2);
}

INSTANTIATE_TEST_SUITE_P(Orders, PackedTriangleOfOrder,
                         testing::Values(0, 1, 2, 127, 128, 129, 255, 256, 257, 300));

TEST(PackedTriangle, CountsEntriesBeyond32Bits) {
  constexpr Index order = 100000;
  const Count entries = PackedTriangle::entries(order);
  EXPECT_GT(entries, Count{order} * order / 2);
  const support::AddressSpace memory(entries);
  const PackedTriangle triangle(memory.begin(), order);
  EXPECT_EQ(triangle.at(order - 1, order - 1) - memory.begin(), entries - 1);
}

}  // namespace
}  // namespace espalier
