// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/turn.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <thread>
#include <vector>

namespace espalier::internal {
namespace {

struct Waiting {
  int rank = 0;
  Waiting* after = nullptr;

  bool goes_before(const Waiting& other) const { return rank > other.rank; }
};

TEST(Turn, PassesToTheTaskThatGoesFirst) {
  Turn<Waiting> turn;
  Waiting holder;
  EXPECT_TRUE(turn.take(holder));
  std::vector<Waiting> queued{{3}, {1}, {4}, {2}};
  for (Waiting& task : queued) EXPECT_FALSE(turn.take(task));
  EXPECT_EQ(turn.pass_on(), &queued[2]);
  Waiting late{5};
  EXPECT_FALSE(turn.take(late));
  EXPECT_EQ(turn.pass_on(), &late);
  EXPECT_EQ(turn.pass_on(), &queued[0]);
  EXPECT_EQ(turn.pass_on(), &queued[3]);
  EXPECT_EQ(turn.pass_on(), &queued[1]);
  EXPECT_EQ(turn.pass_on(), nullptr);
  EXPECT_TRUE(turn.take(holder)) << "nobody has the turn";
}

/// Threads take the turn again and again. The thread that has it counts without a lock.
TEST(Turn, BelongsToOneThreadAtATime) {
  Turn<Waiting> turn;
  constexpr int threads = 4;
  constexpr int tasks = 2000;
  std::vector<std::deque<Waiting>> own(threads);
  int count = 0;
  const auto use = [&] {
    do ++count;
    while (turn.pass_on() != nullptr);
  };
  std::vector<std::thread> running;
  for (auto& mine : own) {
    running.emplace_back([&] {
      for (int t = 0; t < tasks; ++t) {
        if (turn.take(mine.emplace_back(Waiting{t % 7}))) use();
      }
    });
  }
  for (std::thread& thread : running) thread.join();
  EXPECT_EQ(count, threads * tasks);
}

}  // namespace
}  // namespace espalier::internal
