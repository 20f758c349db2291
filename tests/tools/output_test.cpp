// SPDX-License-Identifier: BSD-3-Clause

#include "compare/output.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "espalier/espalier.hpp"

namespace espalier::internal {
namespace {

Comparison example_comparison() {
  Report report;
  report.matrix.name = "a, \"b\".mtx";
  report.factor.granularity = "tile";
  report.machine.cpu_workers = 2;
  Comparison comparison;
  PolicyRuns policy;
  policy.report = nlohmann::ordered_json::parse(to_json(report));
  policy.choice = {"lws", "lws", {}};
  policy.active = "lws";
  policy.fastest.workers = 2;
  policy.fastest.tasks.resize(3);
  for (TaskRun& task : policy.fastest.tasks) task.kind = "update";
  policy.fastest.critical_path_seconds = 0.001;
  policy.runs = {{0, 0.002, 0.25, 0.125}, {1, 0.004, 0.25, 0.125}};
  comparison.policies = {policy};
  return comparison;
}

TEST(TableOf, HasALineAPolicy) {
  EXPECT_THAT(table_of(example_comparison()),
              testing::AllOf(testing::HasSubstr("lws "), testing::HasSubstr("3.00 ms"),
                             testing::HasSubstr("66.7 %"), testing::HasSubstr("25.0 %"),
                             testing::HasSubstr("3.00\n")));
}

TEST(CsvOf, HasALineARunAndQuotesNames) {
  const std::vector comparisons{example_comparison()};
  const std::string csv = csv_of(comparisons);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 3);
  EXPECT_THAT(csv,
              testing::HasSubstr(
                  "\n\"a, \"\"b\"\".mtx\",lws,lws,1,2,0,0,tile,1,0.004,,0.25,0.125,0.001,0\n"));
}

TEST(JsonOf, HoldsRunsAndSchedules) {
  const std::vector comparisons{example_comparison(), example_comparison()};
  const auto json = nlohmann::json::parse(json_of(comparisons));
  ASSERT_EQ(json["matrices"].size(), 2u);
  const auto& policy = json["matrices"][1]["policies"][0];
  EXPECT_EQ(policy["runs"].size(), 2u);
  EXPECT_EQ(policy["runs"][1]["seconds"], 0.004);
  EXPECT_EQ(policy["bound_ratio"], 3.0);
  EXPECT_EQ(policy["schedule"]["tasks"].size(), 3u);
}

Comparison on_two_ranks() {
  Comparison comparison = example_comparison();
  auto& machine = comparison.policies.front().report["machine"];
  machine["ranks"] = 2;
  machine["coprocessor_workers"] = 2;
  comparison.policies.push_back(comparison.policies.front());
  comparison.policies.back().choice.label = "<fanout>";
  comparison.policies.back().runs = {{0, 0.0015, 0.25, 0.125}};
  comparison.baseline = "<fanout>";
  return comparison;
}

Comparison with_a_configuration() {
  Comparison comparison = example_comparison();
  Report report;
  report.ordering.method = "metis";
  report.factor.granularity = "block";
  report.configuration = {"halo", {"panel-width=64"}};
  PolicyRuns& added = comparison.policies.emplace_back(comparison.policies.front());
  added.choice = {"as=halo", "halo", {}, "halo"};
  added.active = "halo";
  added.report = nlohmann::ordered_json::parse(to_json(report));
  return comparison;
}

TEST(Configurations, HaveALineWithTheirOwnMethod) {
  const std::vector comparisons{with_a_configuration()};
  const std::string line =
      "as=halo: 0 flop, metis ordering, block granularity, scheduler halo; it follows the paper "
      "except panel-width=64";
  EXPECT_THAT(table_of(comparisons[0]), testing::EndsWith("\n" + line + "\n"));
  EXPECT_THAT(page_of(comparisons), testing::HasSubstr("<p>" + line + "</p>"));
  EXPECT_THAT(csv_of(comparisons),
              testing::AllOf(testing::HasSubstr(",tile,0,"), testing::HasSubstr(",block,0,")));
}

TEST(Configurations, AreInJson) {
  const std::vector comparisons{with_a_configuration()};
  const auto policies = nlohmann::json::parse(json_of(comparisons))["matrices"][0]["policies"];
  EXPECT_TRUE(policies[0]["configuration"].is_null());
  EXPECT_EQ(policies[1]["configuration"]["name"], "halo");
  EXPECT_EQ(policies[1]["configuration"]["overridden"], nlohmann::json({"panel-width=64"}));
  EXPECT_EQ(policies[1]["ordering"], "metis");
  EXPECT_EQ(policies[1]["granularity"], "block");
}

TEST(HeadingOf, NamesAllThatRan) {
  EXPECT_THAT(heading_of(example_comparison()), testing::EndsWith(" granularity, 2 CPU workers"));
  EXPECT_THAT(heading_of(on_two_ranks()),
              testing::EndsWith("2 ranks with 2 CPU workers and 2 coprocessor workers together"));
}

TEST(Baseline, HasAColumnEverywhere) {
  const std::vector comparisons{on_two_ranks()};
  EXPECT_THAT(table_of(comparisons[0]),
              testing::AllOf(testing::HasSubstr("to best  to <fanout>"),
                             testing::HasSubstr("    2.000        2.000"),
                             testing::HasSubstr("    1.000        1.000")));
  EXPECT_THAT(csv_of(comparisons), testing::HasSubstr(",2,2,2,0,tile,0,0.0015,1,0.25,"));
  EXPECT_THAT(page_of(comparisons),
              testing::AllOf(testing::HasSubstr("<th>to &lt;fanout&gt;</th>"),
                             testing::HasSubstr("<td>2.000</td><td>2.000</td>")));
  const auto json = nlohmann::json::parse(json_of(comparisons))["matrices"][0];
  EXPECT_EQ(json["baseline"], "<fanout>");
  EXPECT_EQ(json["policies"][0]["to_baseline"], 2.0);
  const std::vector without{example_comparison()};
  EXPECT_TRUE(nlohmann::json::parse(json_of(without))["matrices"][0]["policies"][0]["to_baseline"]
                  .is_null());
}

}  // namespace
}  // namespace espalier::internal
