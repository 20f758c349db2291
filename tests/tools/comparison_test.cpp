// SPDX-License-Identifier: BSD-3-Clause
#include "compare/comparison.hpp"

namespace espalier {
namespace {

TaskRun task(double predicted_seconds) {
  TaskRun task;
  task.predicted_seconds = predicted_seconds;
  return task;
}

Schedule schedule(double seconds, double critical_path, std::vector<double> predicted) {
  Schedule made;
  made.seconds = seconds;
  made.workers = 2;
  made.idle_seconds = 0.5 * seconds;
  made.runtime_seconds = 0.1 * seconds;
  made.critical_path_seconds = critical_path;
  for (const double p : predicted) made.tasks.push_back(task(p));
  return made;
}

PolicyRuns policy(std::vector<double> seconds) {
  PolicyRuns policy;
  policy.fastest = schedule(1, 1, {3, 1});
  for (const double s : seconds) policy.runs.push_back({0, s, 0.1 * s, 0.2 * s});
  return policy;
}

TEST(Median, IsInTheMiddle) {
  EXPECT_EQ(median({7}), 7);
  EXPECT_EQ(median({9, 1, 2}), 2);
  EXPECT_EQ(median({10, 1, 4, 2}), 3);
}

TEST(Bound, IsTheLongerOfPathAndWorkForEachWorker) {
  EXPECT_EQ(bound_seconds(schedule(1, 5, {1, 2, 3})), 5);
  EXPECT_EQ(bound_seconds(schedule(1, 2, {1, 2, 3})), 3);
}

TEST(TimedRunOf, HasSharesOfAllWorkersTime) {
  const TimedRun run = timed_run(schedule(4, 1, {1}), 7);
  EXPECT_EQ(run.round, 7);
  EXPECT_EQ(run.seconds, 4);
  EXPECT_DOUBLE_EQ(run.idle_share, 0.25);
  EXPECT_DOUBLE_EQ(run.runtime_share, 0.05);
}

TEST(FiguresOf, AreMediansAndRatiosToTheBest) {
  const std::vector<Figures> figures = figures_of({{}, {policy({4, 2, 3}), policy({6, 6})}});
  ASSERT_EQ(figures.size(), 2u);
  EXPECT_EQ(figures[0].seconds, 3);
  EXPECT_DOUBLE_EQ(figures[0].spread, 2.0 / 3);
  EXPECT_EQ(figures[0].ratio, 1);
  EXPECT_DOUBLE_EQ(figures[0].idle_share, 0.3);
  EXPECT_DOUBLE_EQ(figures[0].runtime_share, 0.6);
  EXPECT_DOUBLE_EQ(figures[0].bound_ratio, 1.5);
  EXPECT_EQ(figures[1].spread, 0);
  EXPECT_EQ(figures[1].ratio, 2);
}

}  // namespace
}  // namespace espalier
