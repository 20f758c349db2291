// SPDX-License-Identifier: BSD-3-Clause
#include "chart/page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "chart/charts.hpp"
#include "espalier/espalier.hpp"

namespace espalier::internal {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Report report_of_a_run() {
  Report report;
  report.matrix.name = "a<b";
  report.scheduler.active = "prio";
  report.factor.runs = {0.5};
  report.factor.seconds = 0.5;
  report.factor.gflops = 12;
  report.solve.nrhs = 1;
  report.solution.backward_error = 1e-16;
  return report;
}

TEST(Page, HasDarkColoursForThoseOfCharts) {
  ValueChart chart{"title", "places", "values", {"a", "b"}, {1, 2}};
  for (int k = 0; k < 7; ++k) {
    chart.series.push_back({"series", {1, 2}, {0.5, 1.5}, {1.5, 2.5}, [](double) { return "1"; }});
  }
  const std::string charts = bar_groups(chart) + value_lines(chart);
  const std::string page = to_html(report_of_a_run(), Schedule{});
  const std::string dark = page.substr(page.find("prefers-color-scheme: dark"));
  for (const char* const attribute : {"width=\"100%\"", "stroke=\"#dddddd\"", "stroke=\"#222222\"",
                                      "fill=\"#332288\"", "stroke=\"#332288\""}) {
    EXPECT_THAT(charts, HasSubstr(attribute));
    EXPECT_THAT(dark, HasSubstr(attribute));
  }
  EXPECT_THAT(charts, HasSubstr("class=\"axis\""));
  EXPECT_THAT(dark, HasSubstr(".axis {"));
}

TEST(Page, HasTheFactsAndTheScheduleOfARun) {
  Schedule schedule;
  schedule.seconds = 0.5;
  schedule.workers = 1;
  schedule.tasks.resize(1);
  schedule.tasks[0].kind = "diagonal";
  schedule.tasks[0].end = 0.25;
  EXPECT_THAT(
      to_html(report_of_a_run(), schedule),
      AllOf(HasSubstr("<h1>a&lt;b, scheduled by prio</h1>"), HasSubstr("500 ms, 12 Gflop/s"),
            HasSubstr("<td>1e-16</td>"), HasSubstr("each of the 1 tasks"), HasSubstr("<svg"),
            HasSubstr("\">time of a task</text>"), HasSubstr("\">number of tasks</text>")));
}

TEST(Page, OfAnAnalysisHasNothingOfAFactorization) {
  Report report;
  report.matrix.n = 7;
  EXPECT_THAT(
      to_html(report, {}),
      AllOf(HasSubstr("<h1>A matrix with 7 rows</h1>"), Not(HasSubstr("Gflop/s")),
            Not(HasSubstr("backward error")), Not(HasSubstr("<svg")), Not(HasSubstr("nan "))));
}

TEST(Page, EndsWithItsProvenance) {
  EXPECT_THAT(to_html(report_of_a_run(), {}),
              HasSubstr(std::string("<p class=\"provenance\">Espalier ") + version() + ", 20"));
  EXPECT_THAT(provenance(), HasSubstr("test_chart"));
}

TEST(Page, SaysWhatTheRunHadToSay) {
  Report report = report_of_a_run();
  report.warnings = {"1 < 2"};
  report.message = "no & more";
  EXPECT_THAT(to_html(report, {}),
              AllOf(HasSubstr("<p>1 &lt; 2</p>"), HasSubstr("<p>no &amp; more</p>")));
}

}  // namespace
}  // namespace espalier::internal
