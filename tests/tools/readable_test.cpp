// SPDX-License-Identifier: BSD-3-Clause
#include "cli/readable.hpp"

#include <gtest/gtest.h>

namespace espalier::internal {
namespace {

TEST(ReadableSeconds, HaveThreeDigits) {
  EXPECT_EQ(readable_seconds(0), "0.00 s");
  EXPECT_EQ(readable_seconds(123.4), "123 s");
  EXPECT_EQ(readable_seconds(1.234), "1.23 s");
  EXPECT_EQ(readable_seconds(0.01234), "12.3 ms");
  EXPECT_EQ(readable_seconds(0.9996e-3), "1.00 ms");
  EXPECT_EQ(readable_seconds(4.5e-7), "450 ns");
}

}  // namespace
}  // namespace espalier::internal
