// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/growing_tasks.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

namespace espalier::internal {
namespace {

TEST(GrowingTasks, RunAllThatTasksAdd) {
  for (const Index threads : {1, 2, 5}) {
    GrowingTasks tasks;
    std::atomic<int> leaves = 0;
    const std::function<void(int)> add = [&](int depth) {
      tasks.add(depth, [&, depth](Index thread) {
        EXPECT_LT(thread, threads);
        if (depth == 0) ++leaves;
        for (int child = 0; depth > 0 && child < 2; ++child) add(depth - 1);
      });
    };
    add(7);
    tasks.run(threads);
    EXPECT_EQ(leaves, 128);
    EXPECT_FALSE(tasks.stopped());
  }
}

TEST(GrowingTasks, TheLargestComesFirst) {
  GrowingTasks tasks;
  std::vector<Count> order;
  for (const Count size : {2, 5, 3}) {
    tasks.add(size, [&, size](Index) { order.push_back(size); });
  }
  tasks.run(1);
  EXPECT_EQ(order, (std::vector<Count>{5, 3, 2}));
}

TEST(GrowingTasks, NoTaskBeginsAfterAStop) {
  GrowingTasks tasks;
  int runs = 0;
  for (Count size = 1; size <= 3; ++size) {
    tasks.add(size, [&, size](Index) {
      ++runs;
      if (size == 2) tasks.stop();
    });
  }
  tasks.run(1);
  EXPECT_EQ(runs, 2);
  EXPECT_TRUE(tasks.stopped());
}

TEST(GrowingTasks, ShareTheLoopsOfTasks) {
  for (const Index threads : {1, 2, 5}) {
    GrowingTasks tasks;
    std::vector<std::atomic<int>> calls(100);
    for (int task = 0; task < 3; ++task) {
      tasks.add(task, [&](Index) {
        for (int round = 0; round < 4; ++round) {
          const int before = calls[99];
          tasks.loop(100, [&](Index k) { ++calls[k]; });
          EXPECT_GT(calls[99], before);
        }
      });
    }
    tasks.run(threads);
    for (const auto& count : calls) EXPECT_EQ(count, 12);
  }
}

TEST(GrowingTasks, PassAnExceptionOfALoopOn) {
  for (const Index threads : {1, 3}) {
    GrowingTasks tasks;
    tasks.add(1, [&](Index) {
      EXPECT_THROW(tasks.loop(50,
                              [](Index k) {
                                if (k == 20) throw std::runtime_error("a call");
                              }),
                   std::runtime_error);
    });
    EXPECT_NO_THROW(tasks.run(threads));
  }
}

TEST(GrowingTasks, PassAnExceptionOnAndStopTheRest) {
  for (const Index threads : {1, 3}) {
    GrowingTasks tasks;
    tasks.add(2, [](Index) { throw std::runtime_error("a task"); });
    tasks.add(1, [&](Index) {
      while (threads > 1 && !tasks.stopped()) std::this_thread::yield();
    });
    EXPECT_THROW(tasks.run(threads), std::runtime_error);
    EXPECT_TRUE(tasks.stopped());
  }
}

}  // namespace
}  // namespace espalier::internal
