// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/rank_clocks.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/clock.hpp"

namespace espalier {
namespace {

/// All ranks of these tests have one clock.
TEST(RankClocks, AreNotBehindOnOneMachine) {
  const Communicator comm(MPI_COMM_WORLD);
  EXPECT_LT(std::abs(behind_root(comm)), 0.01);
}

TEST(RankClocks, ShowWhenAWatchBegan) {
  const double before = steady_seconds();
  const Stopwatch watch;
  EXPECT_GE(watch.begin(), before);
  EXPECT_LE(watch.begin(), steady_seconds());
}

}  // namespace
}  // namespace espalier
