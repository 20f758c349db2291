// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/rank_clocks.hpp"

#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "ranks/whole.hpp"

namespace espalier {
namespace {

/// All ranks of these tests have one clock, but for a minute from each to the next.
double clock_of_rank() { return steady_seconds() + 60.0 * support::rank_here(); }

TEST(RankClocks, AreBehindByWhatTheyWereSet) {
  const Communicator comm(MPI_COMM_WORLD);
  EXPECT_NEAR(behind_root(comm, clock_of_rank), -60.0 * comm.rank(), 0.05);
  EXPECT_NEAR(behind_root(comm), 0, 0.05);
}

TEST(RankClocks, ShowWhenAWatchBegan) {
  const double before = steady_seconds();
  const Stopwatch watch;
  EXPECT_GE(watch.begin(), before);
  EXPECT_LE(watch.begin(), steady_seconds());
}

}  // namespace
}  // namespace espalier
