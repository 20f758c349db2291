// SPDX-License-Identifier: BSD-3-Clause
#include "chart/trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace espalier::internal {
namespace {

TEST(ChromeTrace, HasARowAWorkerAndOneOfPhases) {
  Schedule schedule;
  schedule.workers = 2;
  TaskRun task;
  task.kind = "update";
  task.m = 30;
  task.worker = 1;
  task.begin = 0.25;
  task.end = 0.75;
  schedule.tasks = {task};
  const auto json =
      nlohmann::json::parse(chrome_trace("a\xff", {{"reading", 0.5, 1}}, schedule, 2));
  std::vector<nlohmann::json> complete;
  std::vector<std::string> rows;
  for (const auto& event : json["traceEvents"]) {
    if (event["ph"] == "X") complete.push_back(event);
    if (event["name"] == "thread_name") rows.push_back(event["args"]["name"]);
  }
  EXPECT_THAT(rows, testing::ElementsAre("phases", "worker 0", "worker 1"));
  ASSERT_EQ(complete.size(), 2u);
  EXPECT_EQ(complete[0]["name"], "reading");
  EXPECT_EQ(complete[0]["ts"], 0.5e6);
  EXPECT_EQ(complete[1]["tid"], 2);
  EXPECT_EQ(complete[1]["ts"], 2.25e6);
  EXPECT_EQ(complete[1]["dur"], 0.5e6);
  EXPECT_EQ(complete[1]["args"]["m"], 30);
}

TEST(ChromeTrace, HasAProcessARank) {
  Schedule schedule;
  schedule.workers = 3;
  schedule.first_worker = {0, 1};
  for (const Index worker : {2, 0, 1}) {
    schedule.tasks.emplace_back().kind = "update";
    schedule.tasks.back().worker = worker;
  }
  const auto json = nlohmann::json::parse(chrome_trace("a", {{"reading", 0, 1}}, schedule, 0));
  std::vector<std::pair<int, int>> places;
  std::vector<std::string> processes;
  for (const auto& event : json["traceEvents"]) {
    if (event["ph"] == "X") places.emplace_back(event["pid"], event["tid"]);
    if (event["name"] == "process_name") processes.push_back(event["args"]["name"]);
  }
  EXPECT_THAT(places, testing::ElementsAre(std::pair(1, 0), std::pair(2, 2), std::pair(1, 1),
                                           std::pair(2, 1)));
  EXPECT_THAT(processes, testing::ElementsAre("espalier: a, rank 0", "espalier: a, rank 1"));
}

TEST(ChromeTrace, CanBeReadBack) {
  Schedule schedule;
  schedule.seconds = 1.5;
  schedule.workers = 3;
  schedule.first_worker = {0, 1};
  schedule.idle_seconds = 0.5;
  schedule.runtime_seconds = 0.25;
  schedule.critical_path_seconds = 0.75;
  schedule.tasks.push_back({"update", 3, 2, 30, 20, 10, 12000, 0.5, 0, 2, 0.25, 0.75, 2});
  schedule.tasks.push_back({"subtree", 1, 0, 9, 8, 7, 500, 0.125, 0, 0, 0.5, 1.5, 1, true});
  schedule.copies = {{0, 0, 1, 1000, 0.25, 0.5}, {1, 2, 0, 2000, 0.375, 1}};
  const std::string text = chrome_trace("a", {{"reading", 0, 1}}, schedule, 2);
  const Schedule read = schedule_in(nlohmann::ordered_json::parse(text));
  EXPECT_EQ(chrome_trace("a", {{"reading", 0, 1}}, read, 2), text);
  ASSERT_EQ(read.tasks.size(), 2U) << "one task ran on two workers";
  EXPECT_EQ(read.tasks[0].slices, 2);
  EXPECT_TRUE(read.tasks[1].on_device);
  ASSERT_EQ(read.copies.size(), 2U);
  EXPECT_EQ(read.copies[1].rank, 1);
  EXPECT_EQ(read.copies[1].from, 2);
  EXPECT_EQ(read.copies[1].bytes, 2000);
  EXPECT_EQ(read.copies[1].end, 1);
}

}  // namespace
}  // namespace espalier::internal
