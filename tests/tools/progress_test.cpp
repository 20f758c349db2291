// SPDX-License-Identifier: BSD-3-Clause

#include "cli/progress.hpp"

#include <gtest/gtest.h>

namespace espalier::internal {
namespace {

TEST(PhasesOfARun, FollowEachOtherAndHoldTheirParts) {
  Phases phases(false);
  phases.begin("reading");
  phases.begin("analyzing");
  phases.divide({{"ordering", 1}, {"symbolic", 2}});
  phases.end();
  phases.end();
  const std::vector<Phase>& ended = phases.ended();
  ASSERT_EQ(ended.size(), 4u);
  EXPECT_EQ(ended[0].name, "reading");
  EXPECT_LE(0, ended[0].begin);
  EXPECT_LE(ended[0].begin, ended[0].end);
  EXPECT_EQ(ended[1].name, "ordering");
  EXPECT_EQ(ended[2].begin, ended[1].end);
  EXPECT_DOUBLE_EQ(ended[2].end - ended[2].begin, 2);
  EXPECT_EQ(ended[3].name, "analyzing");
  EXPECT_EQ(ended[3].begin, ended[1].begin);
  EXPECT_LE(ended[0].end, ended[3].begin);
}

}  // namespace
}  // namespace espalier::internal
