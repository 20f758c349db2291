// SPDX-License-Identifier: BSD-3-Clause

#include "report/queue_sizes.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace espalier::internal {
namespace {

/// Returns a task with these times of its submission, readiness and start. The clock starts at 100.
BoundTask task_of(double submitted, double ready, double begun) {
  BoundTask task{};
  task.queued = {KernelQueue::none, 100 + submitted, 100 + ready};
  task.record.begin = begun;
  return task;
}

/// In 64 seconds, samples are taken at 0.5, 1.5 and so on.
TEST(QueueSizes, CountWhoWaitsAndWhoIsReadyInTheMiddleOfEachPart) {
  const std::vector<BoundTask> tasks{task_of(0, 2, 4), task_of(1, 2, 3), task_of(1.6, 1.7, 1.8),
                                     task_of(3, 62.6, 63.4)};
  const QueueSizes sizes = queue_sizes(tasks, 100, 64);
  EXPECT_EQ(sizes.seconds, 64);
  const auto expect_at = [&](std::size_t sample, Count waiting, Count ready) {
    EXPECT_EQ(sizes.waiting[sample], waiting) << sample;
    EXPECT_EQ(sizes.ready[sample], ready) << sample;
  };
  expect_at(0, 1, 0);
  expect_at(1, 2, 0);
  expect_at(2, 0, 2);
  expect_at(3, 1, 1);
  for (std::size_t k = 4; k < 62; ++k) expect_at(k, 1, 0);
  expect_at(62, 1, 0);
  expect_at(63, 0, 0);
}

TEST(QueueSizes, CountTasksThatBeginAfterTheLastSample) {
  const std::vector<BoundTask> tasks{task_of(-1, 0.1, 70), task_of(-1, 65, 70)};
  const QueueSizes sizes = queue_sizes(tasks, 100, 64);
  for (std::size_t k = 0; k < QueueSizes::samples; ++k) {
    EXPECT_EQ(sizes.waiting[k], 1);
    EXPECT_EQ(sizes.ready[k], 1);
  }
}

TEST(QueueSizes, AreInTheReportOfAPolicyThatHasQueuesAlone) {
  Report report;
  const std::vector<BoundTask> unknown(2);
  queue_sizes(unknown, 100, 64).describe(0, report);
  queue_sizes({}, 100, 64).describe(1, report);
  EXPECT_TRUE(report.scheduler.queue_sizes.empty());
  queue_sizes(std::vector{task_of(0, 1, 2)}, 100, 32).describe(2, report);
  ASSERT_EQ(report.scheduler.queue_sizes.size(), 1u);
  const QueueSizesReport& sizes = report.scheduler.queue_sizes.front();
  EXPECT_EQ(sizes.rank, 2);
  EXPECT_EQ(sizes.interval_seconds, 0.5);
  std::vector<Count> two_of_64(64);
  two_of_64[0] = two_of_64[1] = 1;
  EXPECT_EQ(sizes.ltq, two_of_64);
  EXPECT_EQ(sizes.rtq[1], 0);
  EXPECT_EQ(sizes.rtq[2], 1);
}

}  // namespace
}  // namespace espalier::internal
