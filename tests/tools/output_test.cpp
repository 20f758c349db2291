// SPDX-License-Identifier: BSD-3-Clause

#include "compare/output.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace espalier::internal {
namespace {

Comparison example_comparison() {
  Comparison comparison;
  comparison.report.matrix.name = "a, \"b\".mtx";
  comparison.report.factor.granularity = "tile";
  comparison.report.machine.cpu_workers = 2;
  PolicyRuns policy;
  policy.choice = {"lws", "lws", {}};
  policy.active = "lws";
  policy.fastest.workers = 2;
  policy.fastest.tasks.resize(3);
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
  EXPECT_THAT(csv, testing::HasSubstr(
                       "\n\"a, \"\"b\"\".mtx\",lws,lws,2,tile,1,0.004,0.25,0.125,0.001,0\n"));
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

}  // namespace
}  // namespace espalier::internal
