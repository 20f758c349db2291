// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "chart/charts.hpp"
#include "espalier/error.hpp"
#include "reproduce/operation_counts.hpp"
#include "reproduce/output.hpp"
#include "reproduce/paper.hpp"
#include "reproduce/reproduction.hpp"
#include "support/expect.hpp"
#include "support/temporary_folder.hpp"

namespace espalier::internal {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr double none = std::numeric_limits<double>::quiet_NaN();

/// Returns values without spread.
std::vector<Value> exact_values(std::initializer_list<double> values) {
  std::vector<Value> all;
  for (const double value : values) all.push_back(exact(value));
  return all;
}

std::vector<double> medians(const Column& column) {
  std::vector<double> all;
  for (const Value& value : column.values) all.push_back(value.median);
  return all;
}

TEST(Papers, AreFoundByName) {
  for (const char* const name : {"sympack", "halo", "swcholesky"}) {
    const Paper paper = find_paper(name);
    EXPECT_EQ(paper.name, name);
    std::set<std::string_view> ids;
    for (const Item& item : paper.items) {
      EXPECT_TRUE(ids.insert(item.id).second) << item.id;
      EXPECT_NE(item.make == nullptr, item.not_run.empty()) << item.id;
      EXPECT_FALSE(item.paper.empty()) << item.id;
    }
  }
  support::expect_error<UsageError>([] { find_paper("pastix"); }, {"sympack, halo, swcholesky"});
}

TEST(Papers, HaveFiguresByNumberOrName) {
  const Paper paper = find_paper("swcholesky");
  EXPECT_EQ(choose_items(paper, {}).size(), paper.items.size());
  const std::vector<std::string> words{"8", "Table 2", "figure 10"};
  const std::vector<Item> items = choose_items(paper, words);
  ASSERT_EQ(items.size(), 3U);
  EXPECT_EQ(items[0].id, "figure 8");
  EXPECT_EQ(items[1].id, "table 2");
  EXPECT_EQ(items[2].id, "figure 10");
  const std::vector<std::string> unknown{"99"};
  support::expect_error<UsageError>([&] { choose_items(paper, unknown); },
                                    {"'99'; choose one of table 2"});
}

TEST(PaperMatrices, AreFilesWhereTheFolderHasThem) {
  constexpr std::array matrices{PaperMatrix{"boneS10", "laplace3d:9"},
                                PaperMatrix{"Flan_1565", "laplace3d:9"},
                                PaperMatrix{"thermal2", "laplace2d:9"}};
  Progress progress(false);
  Runs runs({}, progress);
  Bench bench{.runs = runs};
  unsetenv("ESPALIER_MATRICES");
  EXPECT_THAT(bench.matrices(matrices), ElementsAre("laplace3d:9", "laplace2d:9"));
  const support::TemporaryFolder folder;
  const std::string file = folder.write("Flan_1565.mtx.gz", "not read");
  setenv("ESPALIER_MATRICES", folder.path("").c_str(), 1);
  EXPECT_THAT(bench.matrices(matrices), ElementsAre(file));
  bench.chosen = {"laplace2d:5"};
  EXPECT_THAT(bench.matrices(matrices), ElementsAre("laplace2d:5"));
  unsetenv("ESPALIER_MATRICES");
}

nlohmann::ordered_json done(const char* phase, const char* operation, const char* worker, int count,
                            double flops) {
  return {{"phase", phase},
          {"operation", operation},
          {"worker", worker},
          {"count", count},
          {"flops", flops}};
}

/// Returns a report of a factorization with POTRF and GEMM, some on a device, and a solve.
nlohmann::ordered_json operations_report(int potrf_on_device, int gemm_on_device) {
  nlohmann::ordered_json all{done("factor", "potrf", "cpu", 10, 100),
                             done("factor", "gemm", "cpu", 30, 300),
                             done("solve", "trsm", "cpu", 20, 20)};
  const auto add = [&](const char* operation, int count) {
    if (count > 0) all.push_back(done("factor", operation, "coprocessor", count, 50.0 * count));
  };
  add("potrf", potrf_on_device);
  add("gemm", gemm_on_device);
  return {{"operations", all}};
}

TEST(OffloadedOperations, MakeAFigure) {
  Figure figure;
  add_operations(figure, operations_report(1, 40));
  ASSERT_EQ(figure.columns.size(), 4U);
  EXPECT_EQ(figure.columns[1].label, "factor, device");
  EXPECT_THAT(medians(figure.columns[1]), ElementsAre(1, 0, 0, 40));
  EXPECT_EQ(figure.conditions, " No operation of the solve went to a device.");
  ASSERT_EQ(figure.claims.size(), 1U);
  EXPECT_EQ(figure.claims[0].judgement.verdict, Verdict::not_found);
  EXPECT_THAT(figure.claims[0].numbers, HasSubstr("42.9 % of the factor gemm"));
}

TEST(OffloadedOperations, AreMostlyOnCpus) {
  Figure figure;
  add_operations(figure, operations_report(1, 2));
  EXPECT_EQ(figure.claims.at(0).judgement.verdict, Verdict::found);
}

TEST(OffloadedOperations, DecideNothingWhereThereAreNone) {
  Figure figure;
  add_operations(figure, operations_report(0, 0));
  EXPECT_THAT(figure.conditions, HasSubstr("No operation of the factor went to a device."));
  EXPECT_EQ(figure.claims.at(0).judgement.verdict, Verdict::not_judged);
}

TEST(PaperMatrices, AreNamedAsTheyAre) {
  EXPECT_EQ(subject_of("/data/Flan_1565.mtx.gz", "Flan_1565"), "of Flan_1565");
  EXPECT_EQ(subject_of("laplace3d:9", "Flan_1565"), "of laplace3d:9, in place of Flan_1565");
}

TEST(Benches, JudgeNothingIfProcessesShareCores) {
  Progress progress(false);
  Runs real({}, progress);
  const Bench bench{.runs = real, .cores = 2};
  EXPECT_EQ(bench.unless_shared(2, {Verdict::found}).verdict, Verdict::found);
  const Judgement shared = bench.unless_shared(3, {Verdict::found});
  EXPECT_EQ(shared.verdict, Verdict::not_judged);
  EXPECT_EQ(shared.reason, "3 processes or threads share 2 cores");
  RunSettings settings;
  settings.machine = "cluster";
  Runs simulated(settings, progress);
  const Bench other{.runs = simulated, .cores = 2};
  EXPECT_EQ(other.unless_shared(300, {Verdict::found}).verdict, Verdict::found);
}

Made sample_figure() {
  Made made{choose_items(find_paper("swcholesky"), std::vector<std::string>{"8"}).front()};
  Figure& figure = made.figure;
  figure.conditions = "made up";
  figure.rows_are = "matrix";
  figure.rows = {"A", "B"};
  figure.columns = {{"one", Unit::factor, {of_runs({1.4, 1.5, 1.8}), {}}},
                    {"two", Unit::factor, exact_values({2, 3}), "<group>"}};
  figure.picture = Figure::Picture::bars;
  figure.claims = {{"two is above one", {Verdict::found}, "1 of 1"},
                   {"one is below zero", {Verdict::not_found}, "0 of 1"},
                   {"one is one", not_judged("it is \"open\""), "1.5"}};
  made.is_made = true;
  made.moment = {"2026-01-31 12:00:00", 3, 0.25};
  return made;
}

Reproduction sample_reproduction() {
  Reproduction all{.paper = find_paper("swcholesky"),
                   .machine = "",
                   .facts = {{"machine", "a & b"}},
                   .conditions = {{"version", "1"}, {"--rounds", 3}},
                   .figures = {sample_figure()}};
  all.figures.push_back({choose_items(all.paper, std::vector<std::string>{"10"}).front()});
  return all;
}

TEST(Reproductions, SayWhatWasFound) {
  const std::string text = text_of(sample_figure());
  EXPECT_THAT(text, HasSubstr("  matrix   one  <group>: two\n  A       1.50          2.00\n"
                              "  B          -          3.00\n"));
  EXPECT_THAT(text, HasSubstr("  widest range: 26.7 % of the median\n"));
  EXPECT_THAT(text, HasSubstr("here: made up\n"));
  EXPECT_THAT(text, HasSubstr("2026-01-31 12:00:00, in 3.00 s; other programs used 0.2 cores"));
  EXPECT_THAT(text, HasSubstr("  found: two is above one (1 of 1)\n"));
  EXPECT_THAT(text, HasSubstr("  not found: one is below zero (0 of 1)\n"));
  EXPECT_THAT(text, HasSubstr("  not judged because it is \"open\": one is one (1.5)\n"));
  EXPECT_EQ(overview_of(sample_reproduction()),
            "figure 8    run        claims: 1 found, 1 not found, 1 not judged\n"
            "figure 10   missing  \n");
}

TEST(Reproductions, AreJson) {
  const auto json = json_of(sample_reproduction(), nlohmann::ordered_json::array());
  EXPECT_EQ(json.at("complete"), false);
  EXPECT_EQ(json.at("facts").at("machine"), "a & b");
  const auto& figure = json.at("figures").at(0);
  EXPECT_EQ(figure.at("id"), "figure 8");
  EXPECT_TRUE(figure.at("columns").at(0).at("values").at(1).is_null());
  EXPECT_EQ(figure.at("columns").at(0).at("lowest").at(0), 1.4);
  EXPECT_EQ(figure.at("columns").at(1).at("values").at(1), 3);
  EXPECT_EQ(figure.at("claims").at(1).at("holds"), false);
  EXPECT_EQ(figure.at("claims").at(2).at("verdict"), "not judged");
  EXPECT_FALSE(figure.at("claims").at(2).contains("holds"));
  EXPECT_EQ(json.at("figures").at(1).at("missing"), true);
}

TEST(Reproductions, ArePages) {
  const Reproduction all = sample_reproduction();
  const auto data = json_of(all, nlohmann::ordered_json::array());
  const std::string page = page_of(all, data);
  EXPECT_THAT(page, HasSubstr("<td>1.50<br/><small>1.40 to 1.80</small></td>"));
  EXPECT_THAT(page, HasSubstr("class=\"bar\""));
  EXPECT_THAT(page, HasSubstr("class=\"whisker\""));
  EXPECT_THAT(page, HasSubstr("Missing: figure 10."));
  EXPECT_THAT(page, HasSubstr("<td>machine</td><td>a &amp; b</td>"));
  EXPECT_EQ(nlohmann::ordered_json::parse(data_in_page(page)), data);
  EXPECT_EQ(data_in_page("<p>another page</p>"), "");
}

class Resumed : public testing::Test {
 protected:
  /// Returns the sample without its figure, after it took over this text as a file.
  Reproduction read(const std::string& text) {
    Reproduction all = sample_reproduction();
    all.figures.front() = {all.figures.front().item};
    resume(folder_.write("stored", text), all, runs_);
    return all;
  }

  support::TemporaryFolder folder_;
  Progress progress_{false};
  Runs runs_{{}, progress_};
};

TEST_F(Resumed, FiguresAreThoseOfReportsAndPages) {
  const Reproduction all = sample_reproduction();
  const auto data = json_of(all, nlohmann::ordered_json::array());
  for (const std::string& text : {data.dump(), page_of(all, data)}) {
    const Reproduction again = read(text);
    EXPECT_EQ(text_of(again.figures.front()), text_of(all.figures.front()));
    EXPECT_EQ(json_of(again, nlohmann::ordered_json::array()), data);
  }
}

TEST_F(Resumed, FiguresWithFailedRunsAreMadeAgain) {
  Reproduction all = sample_reproduction();
  all.figures.front().figure.failures = {"a run failed"};
  EXPECT_FALSE(read(json_of(all, nlohmann::ordered_json::array()).dump()).figures.front().is_made);
}

TEST_F(Resumed, RunsAreNotMadeAgain) {
  const nlohmann::ordered_json stored = {{{"matrix", "laplace2d:9"},
                                          {"policy", "lws"},
                                          {"ranks", 1},
                                          {"workers", 1},
                                          {"devices", 0},
                                          {"options", nlohmann::ordered_json::array()},
                                          {"reports", {{{"x", 1}}, {{"x", 5}}, {{"x", 2}}}}}};
  read(json_of(sample_reproduction(), stored).dump());
  EXPECT_EQ(runs_.stored(), stored);
  const Value x = runs_.value({.matrix = "laplace2d:9", .policy = "lws"},
                              [](const auto& report) { return report.at("x"); });
  EXPECT_EQ(x.median, 2);
  EXPECT_EQ(x.highest, 5);
  EXPECT_EQ(x.runs, 3);
}

TEST_F(Resumed, OtherConditionsAreRefused) {
  Reproduction all = sample_reproduction();
  all.conditions["--rounds"] = 5;
  const std::string other = json_of(all, nlohmann::ordered_json::array()).dump();
  support::expect_error<UsageError>([&] { read(other); },
                                    {"another --rounds", "'5' instead of '3'"});
}

TEST_F(Resumed, OtherFilesAreRefused) {
  for (const char* const text : {"{", "{}", "<html></html>", "x"}) {
    support::expect_error<InputError>([&] { read(text); }, {"not a report or a page"});
  }
  support::expect_error<InputError>([&] { read(""); }, {"cannot be read or is empty"});
}

ValueChart sample_chart() {
  const auto text = [](double value) { return readable(value, Unit::factor); };
  return {"a & b",
          "ranks",
          "speed-up <here>",
          {"1", "2", "4"},
          {1, 2, 4},
          true,
          {{"x", {1, none, 4}, {1, none, 3}, {1, none, 5}, text},
           {"y", {2, 8, 3}, {2, 8, 3}, {2, 8, 3}, text},
           {"empty", {none, none, none}, {none, none, none}, {none, none, none}, text}},
          true};
}

int count_of(const std::string& text, const std::string& part) {
  int count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(ValueCharts, HaveAMarkForEachValue) {
  EXPECT_EQ(count_of(bar_groups(sample_chart()), "class=\"bar\""), 5);
  EXPECT_EQ(count_of(value_lines(sample_chart()), "class=\"value\""), 5);
  EXPECT_THAT(value_lines(sample_chart()), HasSubstr("<title>a &amp; b</title>"));
}

TEST(ValueCharts, HaveWhiskersWhereRunsDiffer) {
  for (const std::string& chart : {bar_groups(sample_chart()), value_lines(sample_chart())}) {
    EXPECT_EQ(count_of(chart, "class=\"whisker\""), 1);
  }
}

TEST(ValueCharts, HaveTitlesOfTheirAxes) {
  for (const std::string& chart : {bar_groups(sample_chart()), value_lines(sample_chart())}) {
    EXPECT_THAT(chart, HasSubstr(">speed-up &lt;here&gt;</text>"));
    EXPECT_EQ(count_of(chart, "class=\"legend\""), 2);  // none for the series without values
  }
  EXPECT_THAT(value_lines(sample_chart()), HasSubstr(">ranks</text>"));
}

/// Returns the horizontal positions of the labels of the places.
std::vector<double> positions_of(const std::string& chart, const std::vector<std::string>& labels) {
  std::vector<double> positions;
  for (const std::string& label : labels) {
    const auto end = chart.find("\" text-anchor=\"middle\">" + label + "</text>");
    const auto begin = chart.rfind("x=\"", end);
    positions.push_back(std::stod(chart.substr(begin + 3)));
  }
  return positions;
}

TEST(ValueCharts, HavePlacesOnATrueScale) {
  ValueChart chart = sample_chart();
  std::vector<double> at = positions_of(value_lines(chart), chart.places);
  EXPECT_NEAR(at[2] - at[1], at[1] - at[0], 0.2);  // powers of two on a logarithmic axis
  chart.logarithmic_positions = false;
  at = positions_of(value_lines(chart), chart.places);
  EXPECT_NEAR(at[2] - at[1], 2 * (at[1] - at[0]), 0.3);
}

}  // namespace
}  // namespace espalier::internal
