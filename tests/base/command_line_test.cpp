// SPDX-License-Identifier: BSD-3-Clause
#include "base/command_line.hpp"

#include <gtest/gtest.h>

namespace espalier::internal {
namespace {

TEST(CommandLine, BeginsWithThisProgram) {
  EXPECT_NE(command_line().find("test_base"), std::string::npos);
}

TEST(CommandLine, IsCut) {
  EXPECT_EQ(command_line(4).size(), 7U);
  EXPECT_TRUE(command_line(4).ends_with("..."));
}

}  // namespace
}  // namespace espalier::internal
