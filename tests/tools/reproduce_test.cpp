// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
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
#include "support/expect.hpp"
#include "support/temporary_folder.hpp"

namespace espalier::internal {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr double none = std::numeric_limits<double>::quiet_NaN();

TEST(ReproducedValues, AreReadWithTheirUnits) {
  EXPECT_EQ(readable(0.0123, Unit::seconds), "12.3 ms");
  EXPECT_EQ(readable(1.844, Unit::factor), "1.84");
  EXPECT_EQ(readable(0.375, Unit::percent), "37.5 %");
  EXPECT_EQ(readable(1564794, Unit::count), "1564794");
  EXPECT_EQ(readable(3.14e13, Unit::flops), "3.14e+13");
  EXPECT_EQ(readable(2.5e9, Unit::rate), "2.5 GB/s");
  EXPECT_EQ(readable(none, Unit::seconds), "-");
}

TEST(ReproducedValues, AreComparedWhereThereAreSome) {
  EXPECT_DOUBLE_EQ(mean_factor({2, 8, none}), 4);
  EXPECT_TRUE(std::isnan(mean_factor({none})));
  EXPECT_THAT(over({6, 1}, {3, 4}), ElementsAre(2, 0.25));
  EXPECT_EQ(below({1, 5, none, 2}, {2, 4, 1, 3}).text, "2 of 3");
  EXPECT_FALSE(below({1, 5}, {2, 4}).all);
  EXPECT_TRUE(below({1, none}, {2, 4}).all);
  EXPECT_FALSE(below({none}, {1}).all);
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

TEST(OffloadedOperations, AreSomeOfEach) {
  EXPECT_FALSE(offloads_each(operations_of(operations_report(0, 0), "factor")));
  EXPECT_FALSE(offloads_each(operations_of(operations_report(0, 2), "factor")));
  EXPECT_TRUE(offloads_each(operations_of(operations_report(1, 2), "factor")));
  EXPECT_FALSE(offloads_each(operations_of(operations_report(1, 2), "nosuch")));
}

TEST(OffloadedOperations, MakeAFigure) {
  Figure figure;
  add_operations(figure, operations_report(1, 40));
  ASSERT_EQ(figure.columns.size(), 4U);
  EXPECT_EQ(figure.columns[1].label, "factor, device");
  EXPECT_THAT(figure.columns[1].values, ElementsAre(1, 0, 0, 40));
  EXPECT_EQ(figure.conditions, " No operation of the solve went to a device.");
  ASSERT_EQ(figure.claims.size(), 2U);
  EXPECT_FALSE(figure.claims[0].holds);
  EXPECT_THAT(figure.claims[0].found, HasSubstr("42.9 % of the factor gemm"));
  EXPECT_TRUE(figure.claims[1].holds);
  EXPECT_THAT(figure.claims[1].found, HasSubstr("5.00 times in factor potrf"));
}

TEST(OffloadedOperations, AreMissedWhereThereAreNone) {
  Figure figure;
  add_operations(figure, operations_report(0, 0));
  EXPECT_THAT(figure.conditions, HasSubstr("No operation of the factor went to a device."));
  EXPECT_TRUE(figure.claims[0].holds);
  EXPECT_FALSE(figure.claims[1].holds);
}

Made sample_figure() {
  Made made{choose_items(find_paper("swcholesky"), std::vector<std::string>{"8"}).front(), {}};
  Figure& figure = made.figure;
  figure.conditions = "made up";
  figure.rows_are = "matrix";
  figure.rows = {"A", "B"};
  figure.columns = {{"one", Unit::factor, {1.5, none}}, {"two", Unit::factor, {2, 3}}};
  figure.picture = Figure::Picture::bars;
  figure.claims = {{"two is above one", true, "1 of 1"}, {"one is below zero", false, "0 of 1"}};
  return made;
}

TEST(Reproductions, SayWhatWasFound) {
  const std::string text = text_of(sample_figure());
  EXPECT_THAT(text,
              HasSubstr("  matrix   one   two\n  A       1.50  2.00\n  B          -  3.00\n"));
  EXPECT_THAT(text, HasSubstr("here: made up\n"));
  EXPECT_THAT(text, HasSubstr("  found: two is above one (1 of 1)\n"));
  EXPECT_THAT(text, HasSubstr("  not found: one is below zero (0 of 1)\n"));
  EXPECT_THAT(overview_of({sample_figure()}, true),
              HasSubstr("figure 8    simulated  1 of 2 claims found"));
}

TEST(Reproductions, AreJsonAndAPage) {
  const Paper paper = find_paper("swcholesky");
  const auto json = nlohmann::json::parse(reproduction_json(paper, "", {sample_figure()}));
  const auto& figure = json.at("figures").at(0);
  EXPECT_EQ(figure.at("id"), "figure 8");
  EXPECT_TRUE(figure.at("columns").at(0).at("values").at(1).is_null());
  EXPECT_EQ(figure.at("columns").at(1).at("values").at(1), 3);
  EXPECT_EQ(figure.at("claims").at(1).at("holds"), false);
  const std::string page = reproduction_page(paper, "", {sample_figure()});
  EXPECT_THAT(page, HasSubstr("<td>1.50</td>"));
  EXPECT_THAT(page, HasSubstr("class=\"bar\""));
}

ValueChart sample_chart() {
  const auto text = [](double value) { return readable(value, Unit::factor); };
  return {
      "a & b", "ranks", {"1", "2", "4"}, {{"x", {1, none, 4}, text}, {"y", {2, 8, 3}, text}}, true};
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

}  // namespace
}  // namespace espalier::internal
