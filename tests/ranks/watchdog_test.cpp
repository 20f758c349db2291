// SPDX-License-Identifier: BSD-3-Clause
#include "launch/watchdog.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "espalier/error.hpp"

namespace espalier::internal {
namespace {

using std::chrono::milliseconds;

Index rank_of_world() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

TEST(Watchdog, TakesNoRankAtWorkForLost) {
  std::atomic<int> lost = 0;
  {
    const Watchdog watchdog(MPI_COMM_WORLD, 1, [&](Index, bool) { ++lost; });
    if (rank_of_world() == 0) std::this_thread::sleep_for(milliseconds(2500));
  }
  EXPECT_EQ(lost, 0);
}

TEST(Watchdog, TellsAllWhoEndsThem) {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Watchdog watchdog(MPI_COMM_WORLD, 0, [](Index, bool) { ADD_FAILURE(); });
  if (rank_of_world() == ranks - 1) watchdog.announce_end();
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!watchdog.end_is_announced() && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(milliseconds(1));
  }
  EXPECT_TRUE(watchdog.end_is_announced());
}

TEST(Watchdog, RefusesTimesThatAreNone) {
  EXPECT_THROW(Watchdog(MPI_COMM_WORLD, -1, {}), UsageError);
}

}  // namespace
}  // namespace espalier::internal
