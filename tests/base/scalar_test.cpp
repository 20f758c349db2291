// SPDX-License-Identifier: BSD-3-Clause
#include "base/scalar.hpp"

#include <gtest/gtest.h>

#include "base/dense.hpp"

namespace espalier::internal {
namespace {

constexpr Scalar single{4, 1, "float"};

TEST(Scalar, IsTheTypeOfEntries) {
  EXPECT_EQ(scalar.bytes, Count{sizeof(*MatrixView{}.data)});
  EXPECT_STREQ(scalar.name, "double");
  EXPECT_DOUBLE_EQ(flops::gemm(2, 3, 4), 48 * scalar.flop_factor);
}

TEST(Scalar, CountsBytesBeyondTheRangeOfAnIndex) {
  EXPECT_EQ(single.bytes_of(0), 0);
  EXPECT_EQ(single.bytes_of(Count{1} << 40), Count{1} << 42);
}

TEST(Scalar, FillsWholeCacheLines) {
  EXPECT_EQ(scalar.entries_of_line(), 8);
  EXPECT_EQ(single.entries_of_line(), 16);
  for (const Count entries : {0, 1, 15, 16, 17, 32}) {
    const Count space = single.in_whole_lines(entries);
    EXPECT_GE(space, entries);
    EXPECT_LT(space, entries + 16);
    EXPECT_EQ(space % 16, 0);
  }
}

}  // namespace
}  // namespace espalier::internal
