// SPDX-License-Identifier: BSD-3-Clause

#include "compare/comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "compare/measure.hpp"
#include "espalier/error.hpp"
#include "schedulers/own_policies.hpp"
#include "schedulers/registry.hpp"
#include "support/expect.hpp"

namespace espalier::internal {
namespace {

using support::expect_error;

TEST(ParsePolicies, TakesNamesWithOptions) {
  const auto policies = parse_policies("lws,fanout:steal=1:ready_order=fifo,fanout");
  ASSERT_EQ(policies.size(), 3u);
  EXPECT_EQ(policies[0].name, "lws");
  EXPECT_EQ(policies[1].label, "fanout:steal=1:ready_order=fifo");
  EXPECT_EQ(policies[1].name, "fanout");
  EXPECT_THAT(policies[1].options, testing::ElementsAre("steal=1", "ready_order=fifo"));
  EXPECT_TRUE(policies[2].options.empty());
}

TEST(ParsePolicies, TakesValuesWithColonsOfPoliciesForDevices) {
  const auto policies = parse_policies("halo:halo=static0:0.5:device_memory=1000", true);
  ASSERT_EQ(policies.size(), 1u);
  EXPECT_THAT(policies[0].options, testing::ElementsAre("halo=static0:0.5", "device_memory=1000"));
}

TEST(ParsePolicies, TakesConfigurationsOfPapers) {
  const auto policies = parse_policies("as=sympack,as=swcholesky:fuse=0");
  ASSERT_EQ(policies.size(), 2u);
  EXPECT_EQ(policies[0].name, "fanout");
  EXPECT_EQ(policies[0].configuration, "sympack");
  EXPECT_THAT(policies[0].words(), testing::ElementsAre("--as", "sympack"));
  EXPECT_EQ(policies[1].name, "ktq");
  EXPECT_THAT(policies[1].words(),
              testing::ElementsAre("--as", "swcholesky", "--sched-option", "fuse=0"));
  Options run;
  run.set("granularity=tile");
  policies[1].set_in(run);
  EXPECT_EQ(run.factor.granularity, Granularity::tile);
  EXPECT_EQ(run.analysis.ordering, "metis");
  EXPECT_THAT(run.analysis.configuration.overridden,
              testing::ElementsAre("granularity=tile", "fuse=0"));
}

TEST(ParsePolicies, TakesAConfigurationForDevicesOnlyWithDevices) {
  EXPECT_EQ(parse_policies("as=halo", true)[0].name, "halo");
  expect_error<UnknownScheduler>([] { parse_policies("as=halo", false); }, {"no devices"});
}

TEST(ParsePolicies, KnowsGroups) {
  EXPECT_EQ(parse_policies("own").size(), own_policies().size());
  EXPECT_EQ(parse_policies("all").size(), known_schedulers().size());
  EXPECT_EQ(parse_policies(default_policies()).size(), own_policies().size() + 4);
}

TEST(ParsePolicies, OfDevicesHaveWhatNeedsThem) {
  for (const char* const group : {"own", "all"}) {
    const auto policies = parse_policies(group, true);
    EXPECT_EQ(policies.size(), parse_policies(group, false).size() + 1);
    EXPECT_TRUE(std::ranges::any_of(policies, [](const auto& p) { return p.name == "halo"; }));
  }
}

TEST(ParsePolicies, RefusesWhatIsWrong) {
  expect_error<UnknownScheduler>([] { parse_policies("lws,nosuch"); }, {"nosuch", "fanout"});
  expect_error<UsageError>([] { parse_policies(""); }, {"empty"});
  expect_error<UsageError>([] { parse_policies("lws,"); }, {"empty"});
  expect_error<UsageError>([] { parse_policies("own,fanout"); }, {"fanout twice"});
  expect_error<UsageError>([] { parse_policies("fanout:nosuch=1"); }, {"nosuch"});
  expect_error<UsageError>([] { parse_policies("lws:steal=1"); }, {"steal"});
  expect_error<UsageError>([] { parse_policies("as=sympak"); },
                           {"'sympak'", "did you mean sympack?", "halo, swcholesky"});
  expect_error<UsageError>([] { parse_policies("as=sympack:fuse=1"); }, {"'fuse'", "ktq"});
}

}  // namespace
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
  const std::vector<Figures> figures = figures_of({{policy({4, 2, 3}), policy({6, 6})}});
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

TEST(FiguresOf, AreAlsoOverABaseline) {
  Comparison comparison{{policy({4, 2, 3}), policy({6, 6})}, "slow"};
  comparison.policies[1].choice.label = "slow";
  EXPECT_EQ(baseline_seconds(comparison), 6);
  EXPECT_EQ(figures_of(comparison)[0].to_baseline, 0.5);
  EXPECT_EQ(figures_of(comparison)[1].to_baseline, 1);
  comparison.baseline.clear();
  EXPECT_TRUE(std::isnan(figures_of(comparison)[0].to_baseline));
}

TEST(Failure, OfARunHasNoAdviceOfAnotherCommand) {
  EXPECT_EQ(failure_of_run("rank 1 was lost; give it more time by --watchdog", "a.mtx", "lws",
                           {2, 1, 1, false}),
            "rank 1 was lost: a.mtx with 2 ranks with 1 CPU worker and 1 coprocessor each, by lws; "
            "for more, run espalier solve with the same options");
}

TEST(NameOfPlaces, SaysWhatEachRankHas) {
  EXPECT_EQ(name_of(RunPlace{}), "all CPU workers");
  EXPECT_EQ(name_of(RunPlace{1, 2, 3, true}), "2 CPU workers and 3 CUDA devices");
}

}  // namespace
}  // namespace espalier::internal
