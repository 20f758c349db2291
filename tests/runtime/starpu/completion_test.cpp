// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/starpu/completion.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace espalier::internal {
namespace {

TEST(Completion, OfNothingIsAtOnce) {
  Completion completion;
  completion.wait();
  completion.wait(5);
}

TEST(Completion, WaitsForTheLastTask) {
  Completion completion;
  std::atomic<int> ended = 0;
  constexpr int tasks = 2000;
  for (int i = 0; i < tasks; ++i) completion.begin_one();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < tasks / 4; ++i) {
        ++ended;
        completion.end_one();
      }
    });
  }
  completion.wait();
  EXPECT_EQ(ended, tasks);
  for (std::thread& thread : threads) thread.join();
}

TEST(Completion, WaitsUntilAsManyAsAllowedAreLeft) {
  Completion completion;
  for (int i = 0; i < 5; ++i) completion.begin_one();
  completion.wait(5);
  std::atomic<int> ended = 0;
  std::thread worker([&] {
    for (int i = 0; i < 3; ++i) {
      ++ended;
      completion.end_one();
    }
  });
  completion.wait(2);
  EXPECT_EQ(ended, 3);
  worker.join();
  completion.end_one();
  completion.end_one();
  completion.wait();
}

TEST(Completion, WakesSeveralWaiters) {
  Completion completion;
  completion.begin_one();
  std::atomic<int> woken = 0;
  std::vector<std::thread> waiters;
  for (int t = 0; t < 3; ++t) {
    waiters.emplace_back([&] {
      completion.wait();
      ++woken;
    });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(woken, 0);
  completion.end_one();
  for (std::thread& waiter : waiters) waiter.join();
  EXPECT_EQ(woken, 3);
}

TEST(Completion, CanBeUsedAgain) {
  Completion completion;
  for (int round = 0; round < 3; ++round) {
    completion.begin_one();
    std::thread worker([&] { completion.end_one(); });
    completion.wait();
    worker.join();
  }
}

TEST(Completion, TellsThatItIsIdleBeforeItWakesAnybody) {
  std::atomic<int> idle = 0;
  Completion completion([&] { ++idle; });
  completion.begin_one();
  std::thread worker([&] { completion.end_one(); });
  completion.wait();
  EXPECT_EQ(idle, 1);
  worker.join();
}

TEST(Completion, IsNotIdleWhileHeld) {
  int idle = 0;
  Completion completion([&] { ++idle; });
  {
    const Completion::Hold hold(completion);
    EXPECT_TRUE(hold.from_idle());
    EXPECT_FALSE(Completion::Hold(completion).from_idle());
    completion.begin_one();
    completion.end_one();
    EXPECT_EQ(idle, 0);
  }
  EXPECT_EQ(idle, 1);
  completion.wait();
}

}  // namespace
}  // namespace espalier::internal
