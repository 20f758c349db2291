// SPDX-License-Identifier: BSD-3-Clause

#include "report/worker_time.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "codelets/context.hpp"
#include "matrix/generators.hpp"
#include "runtime/sample_factor.hpp"

namespace espalier::internal {
namespace {

/// Two tasks that add to one tile, and a third task that waits for both.
class ThreeTasks : public testing::Test {
 protected:
  ThreeTasks() {
    graph_.tiling.tile = {{0, 0, 1}, {1, 0, 1}};
    for (const Index target : {0, 0, 1}) {
      Task task{.kind = TaskKind::update};
      task.target = target;
      graph_.task.push_back(task);
    }
    graph_.successor_begin = {0, 1, 2, 2};
    graph_.successor = {2, 2};
  }

  /// Divides the time, given a record per task.
  WorkerTime divided(const std::vector<TaskRecord>& records, double seconds) {
    std::vector<BoundTask> tasks(records.size());
    for (std::size_t t = 0; t < records.size(); ++t) tasks[t].record = records[t];
    return TimeDivision(graph_, 2).of(tasks, seconds);
  }

  TaskGraph graph_;
};

TEST_F(ThreeTasks, CountGapsBetweenThemAsTheRuntimes) {
  const WorkerTime time = divided({{0, 1, 3}, {0, 4, 6}, {0, 7, 9}}, 10);
  EXPECT_DOUBLE_EQ(time.busy, 6);
  EXPECT_DOUBLE_EQ(time.idle, 9);  // the other worker, until the last task ended
  EXPECT_DOUBLE_EQ(time.runtime, 5);
}

TEST_F(ThreeTasks, LeaveAWorkerIdleUntilItsTaskCouldBegin) {
  // Worker 1 waits for the tile until 3. Both workers wait for the two updates, until 6 and 7.
  const WorkerTime time = divided({{0, 1, 3}, {1, 4, 6}, {0, 8, 9}}, 10);
  EXPECT_DOUBLE_EQ(time.busy, 5);
  EXPECT_DOUBLE_EQ(time.idle, 3 + 3 + 3);
  EXPECT_DOUBLE_EQ(time.runtime, 20 - 5 - 9);
}

TEST_F(ThreeTasks, NeedNotRunInTheirOrder) {
  const WorkerTime time = divided({{0, 4, 5}, {1, 0, 4}, {1, 5, 8}}, 8);
  EXPECT_DOUBLE_EQ(time.busy, 8);
  EXPECT_DOUBLE_EQ(time.idle, 4 + 1 + 3);
  EXPECT_DOUBLE_EQ(time.runtime, 0);
}

TEST_F(ThreeTasks, MayRunOnAllWorkersTogether) {
  const WorkerTime time = divided({{0, 0, 2, 2}, {0, 3, 5}, {1, 6, 8, 2}}, 9);
  EXPECT_DOUBLE_EQ(time.busy, 2 * 2 + 2 + 2 * 2);
  EXPECT_DOUBLE_EQ(time.idle, 3);  // worker 1 during the second task, from the end of the first
  EXPECT_DOUBLE_EQ(time.runtime, 2 * 9 - 10 - 3);
}

TEST(TimeDivision, OfASequentialRunIsNearlyAllBusyOrIdle) {
  const SparseMatrix matrix = generate_matrix("laplace2d:20");
  support::SampleFactor sample(matrix, 0.25, Granularity::panel);
  sample.run();
  TimeDivision division(sample.graph(), 1);
  const auto& tasks = sample.list().task;
  const double end = tasks.back().record.end;
  const WorkerTime time = division.of(tasks, end);
  EXPECT_DOUBLE_EQ(time.busy + time.idle + time.runtime, end);
  EXPECT_GT(time.busy, 0);
  EXPECT_GE(time.runtime, 0);
}

}  // namespace
}  // namespace espalier::internal
