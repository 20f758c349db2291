// SPDX-License-Identifier: BSD-3-Clause

#include "report/factor_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "codelets/cpu/blas.hpp"
#include "matrix/generators.hpp"
#include "solver/sample_solver.hpp"

namespace espalier::internal {
namespace {

using support::with;
using Json = nlohmann::json;

TEST(FactorHistory, RemembersTheLastRunsAndTheFastest) {
  constexpr auto most = static_cast<Index>(FactorHistory::most_runs);
  FactorHistory history;
  EXPECT_TRUE(history.add_run(0.5));
  for (Index run = 1; run < 5 * most; ++run) {
    EXPECT_FALSE(history.add_run(run));
    ASSERT_LE(history.factor_seconds.size(), 2 * FactorHistory::most_runs);
  }
  Report report;
  history.describe(report);
  EXPECT_EQ(report.factor.seconds, 0.5);
  EXPECT_EQ(std::ssize(report.factor.runs), most);
  EXPECT_EQ(report.factor.runs.front(), 4 * most);
  EXPECT_EQ(report.factor.runs.back(), 5 * most - 1);
}

TEST(ReportJson, WritesListsAndTheFailedColumn) {
  Report report;
  report.kinds.push_back({"update", "cpu", 1, 2, 3, 4});
  report.memory.phases.push_back({"setup", 5});
  report.widths.push_back({9, 32, 3, 0.5, 8});
  report.ranks.push_back({1,
                          "here",
                          2,
                          {4, 6},
                          0.25,
                          0.5,
                          8,
                          9,
                          10,
                          13,
                          11,
                          12,
                          14,
                          3,
                          24,
                          5,
                          40,
                          {.fraction = 0.75, .costs = {}}});
  report.bad_column = 7;
  const Json json = Json::parse(to_json(report));
  EXPECT_EQ(json.at("espalier"), version());
  EXPECT_EQ(json.at("status"), "ok");
  EXPECT_EQ(json.at("message"), "");
  EXPECT_EQ(json.at("not_positive_definite").at("column"), 7);
  EXPECT_EQ(json.at("memory").at("phases"),
            Json::parse(R"([{"phase": "setup", "peak_rss_bytes": 5}])"));
  const Json kind = json.at("kinds").at(0);
  EXPECT_EQ(json.at("widths"),
            Json::parse(R"([{"least": 9, "most": 32, "panels": 3, "seconds": 0.5, "flops": 8}])"));
  Json rank = json.at("ranks").at(0);
  EXPECT_EQ(rank.at("offload").at("fraction"), 0.75);
  rank.erase("offload");
  EXPECT_EQ(rank, Json::parse(R"({"rank": 1, "host": "here", "cpu_workers": 2, "cores": [4, 6],
      "task_seconds": 0.25, "predicted_seconds": 0.5, "entries": 8, "factor_bytes": 9,
      "peak_rss_bytes": 10, "window_bytes": 13, "messages": 11, "bytes": 12, "blocks_sent": 14,
      "device_messages_sent": 3, "device_bytes_sent": 24, "device_messages_received": 5,
      "device_bytes_received": 40})"));
  EXPECT_EQ(kind.at("kind"), "update");
  EXPECT_EQ(kind.at("worker"), "cpu");
  EXPECT_EQ(kind.at("count"), 1);
  EXPECT_EQ(kind.at("seconds"), 2);
  EXPECT_EQ(kind.at("flops"), 3);
  EXPECT_EQ(kind.at("predicted_seconds"), 4);
}

TEST(ReportJson, HasEachWarningOnce) {
  Report report;
  EXPECT_EQ(Json::parse(to_json(report)).at("warnings"), Json::array());
  for (const char* const warning : {"one", "", "two", "one"}) add_warning(warning, report);
  EXPECT_EQ(Json::parse(to_json(report)).at("warnings"), Json({"one", "two"}));
}

TEST(ReportJson, NamesNoColumnWhereNoneFailed) {
  EXPECT_FALSE(Json::parse(to_json(Report{})).contains("not_positive_definite"));
}

TEST(ReportJson, HasASearchForATuningWhereThereWasOne) {
  Report report;
  EXPECT_FALSE(Json::parse(to_json(report)).contains("tune"));
  report.tune = {0.5, 7, 0.25, 0.125, {{"panel_width", 64}}};
  EXPECT_EQ(Json::parse(to_json(report)).at("tune"),
            Json::parse(R"({"seconds": 0.5, "tunings": 7, "predicted_before": 0.25,
                            "predicted_after": 0.125, "parameters": {"panel_width": 64.0}})"));
}

TEST(ReportJson, KeepsValuesAsTheyAre) {
  Report report;
  report.status = "error";
  report.message = "a \"quoted\" line\nand another\t\\";
  report.matrix.name = "dir/ä €.mtx";
  report.matrix.nnz_lower = Count{1} << 40;
  report.symbolic.flops = 1.25e17;
  report.factor.runs = {0.1, 1.0 / 3};
  report.solution.backward_error = 4.9e-324;
  const Json json = Json::parse(to_json(report));
  EXPECT_EQ(json["status"], "error");
  EXPECT_EQ(json["message"], report.message);
  EXPECT_EQ(json["matrix"]["name"], report.matrix.name);
  EXPECT_EQ(json["matrix"]["nnz_lower"], Count{1} << 40);
  EXPECT_EQ(json["symbolic"]["flops"], 1.25e17);
  EXPECT_EQ(json["factor"]["runs"], report.factor.runs);
  EXPECT_EQ(json["solution"]["backward_error"], 4.9e-324);
}

TEST(ReportJson, StaysJsonWhateverTheName) {
  Report report;
  report.matrix.name = "bytes \xff\xc3 of another encoding";
  report.solution.backward_error = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(Json::accept(to_json(report)));
}

TEST(Version, HasThreeNumbers) {
  EXPECT_THAT(version(), testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+"));
}

class FactorReportBy : public testing::TestWithParam<Granularity> {
 protected:
  Runtime runtime_{RuntimeOptions{2, "lws"}};
  Matrix matrix_ = Matrix::load("laplace2d:20");
  Factor factor_{runtime_, support::analysis_of(matrix_), with(GetParam())};
};

Count count_of_kind(const Report& report, const std::string& kind) {
  for (const KindReport& k : report.kinds) {
    if (k.kind == kind) return k.count;
  }
  return 0;
}

TEST_P(FactorReportBy, CountsTheTasksThatRan) {
  for (int run = 0; run < 3; ++run) ASSERT_TRUE(factor_.factorize(matrix_).ok());
  const Report report = factor_.report();
  EXPECT_EQ(count_of_kind(report, "diagonal"), report.tasks.diagonal);
  EXPECT_EQ(count_of_kind(report, "factor"), report.tasks.factor);
  EXPECT_EQ(count_of_kind(report, "update"), report.tasks.update);
  EXPECT_EQ(count_of_kind(report, "subtree"), report.tasks.subtree);
  EXPECT_EQ(count_of_kind(report, "assemble"), report.tasks.assemble);
  EXPECT_EQ(report.tasks.reduce, 0);
  double busy = 0;
  Count tasks = 0;
  for (const KindReport& kind : report.kinds) {
    EXPECT_EQ(kind.worker, "cpu");
    EXPECT_GT(kind.seconds, 0);
    EXPECT_GT(kind.flops, 0);
    EXPECT_GT(kind.predicted_seconds, 0);
    busy += kind.seconds;
    tasks += kind.count;
  }
  EXPECT_NEAR(report.tasks.mean_us, busy / static_cast<double>(tasks) * 1e6, 1e-6);
  EXPECT_GE(report.tasks.idle_share, 0);
  EXPECT_GT(report.tasks.runtime_share, 0);
  EXPECT_NEAR(busy,
              (1 - report.tasks.idle_share - report.tasks.runtime_share) * report.factor.seconds *
                  report.machine.cpu_workers,
              1e-9);
}

TEST_P(FactorReportBy, DividesTheWorkByWidth) {
  const Matrix matrix = Matrix::load("laplace3d:8");
  Factor factor(runtime_, Analysis(matrix), with(GetParam()));
  ASSERT_TRUE(factor.factorize(matrix).ok());
  const Report report = factor.report();
  double seconds = 0, flops = 0;
  for (const KindReport& kind : report.kinds) seconds += kind.seconds, flops += kind.flops;
  ASSERT_GT(report.widths.size(), 1u);
  Index least = 1;
  for (const WidthReport& width : report.widths) {
    EXPECT_GE(width.least, least);
    EXPECT_GT(width.seconds, 0);
    seconds -= width.seconds;
    flops -= width.flops;
    least = width.most + 1;
  }
  EXPECT_NEAR(seconds, 0, 1e-9);
  EXPECT_NEAR(flops, 0, 1e-9 * report.symbolic.flops);
}

TEST_P(FactorReportBy, KeepsAllRunsAndTheFastest) {
  for (int run = 0; run < 4; ++run) ASSERT_TRUE(factor_.factorize(matrix_).ok());
  const Report report = factor_.report();
  ASSERT_EQ(report.factor.runs.size(), 4u);
  EXPECT_EQ(report.factor.seconds,
            *std::min_element(report.factor.runs.begin(), report.factor.runs.end()));
  EXPECT_GT(report.factor.seconds, 0);
  EXPECT_NEAR(report.factor.gflops, report.symbolic.flops / report.factor.seconds * 1e-9, 1e-9);
  EXPECT_GT(report.factor.setup_seconds, 0);
}

TEST_P(FactorReportBy, DescribesMachineSchedulerAndSolve) {
  ASSERT_TRUE(factor_.factorize(matrix_).ok());
  const Solution solution = factor_.solve(std::vector<double>(800, 1.0), 2);
  const Report report = factor_.report();
  EXPECT_EQ(report.machine.cpu_workers, 2);
  EXPECT_EQ(report.machine.cuda_workers, 0);
  EXPECT_EQ(report.machine.ranks, 1);
  EXPECT_FALSE(report.machine.host.empty());
  EXPECT_TRUE(report.machine.blas.starts_with(blas_description()));
  EXPECT_EQ(report.scheduler.requested, "lws");
  EXPECT_EQ(report.scheduler.active, "lws");
  EXPECT_EQ(report.solve.nrhs, 2);
  EXPECT_GT(report.solve.seconds, 0);
  EXPECT_EQ(report.solve.refinement_steps, solution.refinement_steps);
  EXPECT_EQ(report.solution.backward_error, solution.backward_error);
  EXPECT_GE(report.memory.factor_bytes, 8 * report.symbolic.nnz_l);
  EXPECT_GT(report.memory.peak_rss_bytes, report.memory.factor_bytes);
  if (GetParam() != Granularity::automatic) {
    EXPECT_EQ(report.factor.granularity, name_of(GetParam()));
  }
  EXPECT_EQ(report.status, "ok");
  EXPECT_EQ(report.bad_column, -1);
}

/// A failed run is short, and must not count as the fastest factorization.
TEST_P(FactorReportBy, IsOfRunsThatSucceeded) {
  const Matrix bad =
      support::to_matrix(support::with_bad_column(generate_matrix("laplace2d:20"), 3));
  for (int run = 0; run < 3; ++run) ASSERT_FALSE(factor_.factorize(bad).ok());
  ASSERT_TRUE(factor_.factorize(matrix_).ok());
  const Report report = factor_.report();
  EXPECT_EQ(report.factor.runs.size(), 1u);
  EXPECT_EQ(count_of_kind(report, "diagonal"), report.tasks.diagonal);
  EXPECT_EQ(count_of_kind(report, "subtree"), report.tasks.subtree);
}

TEST_P(FactorReportBy, BeforeAnyRunHasStructureOnly) {
  const Report report = factor_.report();
  EXPECT_GT(report.symbolic.nnz_l, 0);
  EXPECT_TRUE(report.factor.runs.empty());
  EXPECT_EQ(report.factor.seconds, 0);
  EXPECT_TRUE(report.kinds.empty());
  EXPECT_TRUE(report.widths.empty());
  EXPECT_EQ(report.solve.nrhs, 0);
}

INSTANTIATE_TEST_SUITE_P(Granularities, FactorReportBy,
                         testing::ValuesIn(support::all_granularities),
                         [](const auto& info) { return name_of(info.param); });

}  // namespace
}  // namespace espalier::internal
