// SPDX-License-Identifier: BSD-3-Clause
#include "chart/schedule_sums.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace espalier::internal {
namespace {

using testing::ElementsAre;

TaskRun task(const char* kind, Index worker, double begin, double end) {
  TaskRun task;
  task.kind = kind;
  task.worker = worker;
  task.begin = begin;
  task.end = end;
  return task;
}

Schedule example() {
  Schedule schedule;
  schedule.workers = 3;
  schedule.tasks = {task("update", 0, 0, 0.5), task("subtree", 2, 0, 0.25), task("update", 2, 1, 2),
                    task("update", 2, 2, 2.5), task("diagonal", 0, 1, 1)};
  return schedule;
}

TEST(KindsIn, ThoseThatRanInTheUsualOrder) {
  EXPECT_THAT(kinds_in(example()), ElementsAre("diagonal", "update", "subtree"));
  EXPECT_TRUE(kinds_in({}).empty());
}

TEST(KindsIn, ThenOtherTasksByName) {
  Schedule schedule = example();
  for (const char* name : {"solve", "energy", "solve"}) {
    schedule.tasks.push_back(task(name, 1, 0, 1));
  }
  EXPECT_THAT(kinds_in(schedule), ElementsAre("diagonal", "update", "subtree", "energy", "solve"));
}

TEST(CopyDirections, EachOnceByRankAndDevice) {
  Schedule schedule;
  schedule.copies = {{1, 0, 1, 8, 0, 1},
                     {0, 0, 2, 8, 0, 1},
                     {0, 0, 2, 8, 1, 2},
                     {0, 2, 0, 8, 2, 3},
                     {0, 2, 1, 8, 2, 3}};
  const std::vector<CopyDirection> found = copy_directions(schedule);
  EXPECT_THAT(found, ElementsAre(CopyDirection{0, 1, true}, CopyDirection{0, 2, false},
                                 CopyDirection{0, 2, true}, CopyDirection{1, 1, true}));
  EXPECT_EQ(name_of(found[0]), "to device 1");
  EXPECT_EQ(name_of(found[1]), "from device 2");
  EXPECT_TRUE(copy_directions({}).empty());
}

TEST(WorkByWorker, SumsSecondsOfEachKind) {
  const auto seconds = work_by_worker(example(), {"diagonal", "update", "subtree"});
  EXPECT_THAT(seconds,
              ElementsAre(ElementsAre(0, 0.5, 0), ElementsAre(0, 0, 0), ElementsAre(0, 1.5, 0.25)));
}

TEST(WorkByWorker, CountsATaskOfAllWorkersForEach) {
  Schedule schedule = example();
  schedule.tasks[1].slices = 3;
  schedule.tasks[4].slices = 2;  // its other workers are unknown
  const auto seconds = work_by_worker(schedule, {"diagonal", "update", "subtree"});
  EXPECT_THAT(seconds, ElementsAre(ElementsAre(0, 0.5, 0.25), ElementsAre(0, 0, 0.25),
                                   ElementsAre(0, 1.5, 0.25)));
}

TEST(WorkByWorker, CountsATaskOfAllWorkersOfItsRank) {
  Schedule schedule = example();
  schedule.first_worker = {0, 1};
  schedule.tasks[1].slices = 2;
  const auto seconds = work_by_worker(schedule, {"diagonal", "update", "subtree"});
  EXPECT_THAT(seconds, ElementsAre(ElementsAre(0, 0.5, 0), ElementsAre(0, 0, 0.25),
                                   ElementsAre(0, 1.5, 0.25)));
}

TEST(WorkerName, CountsInItsRank) {
  Schedule schedule = example();
  EXPECT_EQ(worker_name(2, schedule), "worker 2");
  schedule.first_worker = {0, 1};
  EXPECT_EQ(worker_name(0, schedule), "rank 0, worker 0");
  EXPECT_EQ(worker_name(2, schedule), "rank 1, worker 1");
}

TEST(DurationsOf, CountEachTaskInItsClass) {
  const std::vector<std::string> kinds{"diagonal", "update", "subtree"};
  const Durations durations = durations_of(example(), kinds);
  ASSERT_EQ(durations.edge.size(), durations.count.size() + 1);
  for (std::size_t i = 0; i < durations.count.size(); ++i) {
    EXPECT_NEAR(durations.edge[i + 1] / durations.edge[i], std::cbrt(10.0), 1e-9);
  }
  // 0 s counts as the shortest time that is distinguished. 1 s is the begin of a class.
  EXPECT_LE(durations.edge.front(), shortest_seconds * 1.0001);
  EXPECT_EQ(durations.count.front()[0], 1);
  EXPECT_THAT(durations.count.back(), ElementsAre(0, 1, 0));
  EXPECT_NEAR(durations.edge[durations.edge.size() - 2], 1, 1e-12);
  EXPECT_TRUE(durations_of({}, {}).count.empty());
}

}  // namespace
}  // namespace espalier::internal
