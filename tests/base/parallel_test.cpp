// SPDX-License-Identifier: BSD-3-Clause
#include "base/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

#include "support/no_memory_for_threads.hpp"

namespace espalier::internal {
namespace {

TEST(ParallelFor, RunsEveryTaskOnce) {
  for (const Index workers : {0, 1, 2, 3, 8}) {
    for (const Index tasks : {0, 1, 2, 7, 1000}) {
      SCOPED_TRACE(testing::Message() << tasks << " tasks, " << workers << " workers");
      std::vector<std::atomic<int>> runs(tasks);
      parallel_for(tasks, workers, [&](Index task) { ++runs[task]; });
      for (const auto& count : runs) EXPECT_EQ(count, 1);
    }
  }
}

TEST(ParallelFor, RunsInOrderOnTheCallingThreadWithOneWorker) {
  const std::thread::id caller = std::this_thread::get_id();
  std::vector<Index> order;
  parallel_for(5, 1, [&](Index task) {
    order.push_back(task);
    EXPECT_EQ(std::this_thread::get_id(), caller);
  });
  EXPECT_EQ(order, (std::vector<Index>{0, 1, 2, 3, 4}));
}

TEST(ParallelFor, UsesAsManyThreadsAsWorkers) {
  // Each task waits for the other, so that this would hang with fewer threads.
  std::atomic<int> arrived = 0;
  parallel_for(2, 2, [&](Index) {
    ++arrived;
    while (arrived < 2) std::this_thread::yield();
  });
  EXPECT_EQ(arrived, 2);
}

TEST(ParallelFor, DoesWithoutThreadsThatCannotStart) {
  const support::NoMemoryForThreads none;
  EXPECT_THROW(std::thread([] {}).join(), std::system_error);
  std::vector<int> runs(100);  // not atomic: one thread runs all
  parallel_for(100, 4, [&](Index task) { ++runs[task]; });
  EXPECT_EQ(runs, std::vector<int>(100, 1));
}

TEST(ParallelFor, PassesAnExceptionOnAndSkipsTheRest) {
  for (const Index workers : {1, 3}) {
    std::atomic<int> runs = 0;
    const auto call = [&] {
      parallel_for(std::numeric_limits<Index>::max(), workers, [&](Index task) {
        ++runs;
        if (task == 5) throw std::runtime_error("task 5");
      });
    };
    EXPECT_THROW(call(), std::runtime_error);
    EXPECT_GE(runs, 6);
  }
}

TEST(ParallelRanges, TileTheWholeRange) {
  for (const Index workers : {1, 2, 3}) {
    for (const Index n : {0, 1, 9, 10, 1000}) {
      SCOPED_TRACE(testing::Message() << n << " by " << workers << " workers");
      std::vector<std::atomic<int>> met(n);
      std::atomic<Index> ranges = 0;
      parallel_ranges(n, 10, workers, [&](Index begin, Index end) {
        ++ranges;
        EXPECT_TRUE(end - begin >= 10 || end - begin == n);
        for (Index i = begin; i < end; ++i) ++met[i];
      });
      for (const auto& count : met) EXPECT_EQ(count, 1);
      EXPECT_LE(ranges, workers == 1 ? 1 : n / 10 + 1);
    }
  }
}

TEST(ParallelRanges, OfTheLargestNumberOfTasks) {
  constexpr Index n = std::numeric_limits<Index>::max();
  std::atomic<Count> sum = 0;
  parallel_ranges(n, 1, 2, [&](Index begin, Index end) { sum += end - begin; });
  EXPECT_EQ(sum, n);
}

}  // namespace
}  // namespace espalier::internal
