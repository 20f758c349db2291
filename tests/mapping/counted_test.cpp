// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/counted.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace espalier::internal {
namespace {

TEST(Counted, IsTheNumberWhereAnIndexHoldsIt) {
  EXPECT_EQ(counted(0, "tasks"), 0);
  EXPECT_EQ(counted(2147483647, "tasks"), 2147483647);
  EXPECT_EQ(counted(10, "tiles", 10), 10);
}

TEST(Counted, SaysWhatThereIsTooMuchOf) {
  for (const std::size_t number : {std::size_t{1} << 31, std::size_t{1} << 32, std::size_t{11}}) {
    try {
      counted(number, "tiles", 10);
      ADD_FAILURE() << number << " passes";
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(std::to_string(number) + " tiles"));
      EXPECT_THAT(error.what(), testing::HasSubstr("coarser granularity"));
    }
  }
  EXPECT_THROW(counted(std::size_t{1} << 31, "tasks"), UsageError);
}

}  // namespace
}  // namespace espalier::internal
