// SPDX-License-Identifier: BSD-3-Clause

#include "perfmodels/cost_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "espalier/error.hpp"
#include "perfmodels/sample_files.hpp"
#include "support/environment.hpp"
#include "support/expect.hpp"

namespace espalier::internal {
namespace {

using support::expect_error;
using support::replaced;
using support::sample_costs;

TEST(CostFile, ComesBackFromItsText) {
  const CostFile file = sample_costs();
  const CostFile copy = cost_file_from_json(to_json(file), "copy.json");
  EXPECT_EQ(copy.host, file.host);
  EXPECT_EQ(copy.cpu, file.cpu);
  EXPECT_EQ(copy.kernels, file.kernels);
  EXPECT_EQ(copy.date, file.date);
  EXPECT_EQ(copy.workers, file.workers);
  EXPECT_EQ(copy.table.gemm.classes, file.table.gemm.classes);
  EXPECT_NEAR(copy.table.gemm.at(3, 2, 2), file.table.gemm.at(3, 2, 2), 1e-14);
  EXPECT_NEAR(copy.table.syrk_again.at(2, 2), file.table.syrk_again.at(2, 2), 1e-14);
  EXPECT_NEAR(copy.table.gemm_again.at(2, 2, 1), file.table.gemm_again.at(2, 2, 1), 1e-14);
  EXPECT_NEAR(copy.table.take, file.table.take, 1e-12);
  EXPECT_NEAR(copy.table.line, file.table.line, 1e-12);
  EXPECT_NEAR(copy.table.task, file.table.task, 1e-9);
  const TaskHistory::Features task{TaskKind::subtree, 1e6, 8, 1e6};
  EXPECT_NEAR(copy.table.history.factor(task), file.table.history.factor(task), 1e-3);
}

TEST(CostFile, ComesBackWithNumbersAtTheEndsOfTheirRange) {
  CostFile file = sample_costs();
  file.table.take = 1e-320;
  file.table.line = 1.7976931348623157e308;
  const CostTable copy = cost_file_from_json(to_json(file), "copy.json").table;
  EXPECT_EQ(copy.take, 1e-320);
  EXPECT_EQ(copy.line, 1.7976931348623157e308);
}

TEST(CostFile, HasItsSwitchPointsWhereTheyWereMeasured) {
  CostFile file = sample_costs();
  file.table.switch_points = {64, SwitchPoints::never};
  const auto copy = [&] { return cost_file_from_json(to_json(file), "copy.json").table; };
  EXPECT_EQ(copy().switch_points, file.table.switch_points);
  file.table.switch_points.blas_update = 128;
  EXPECT_EQ(copy().switch_points, file.table.switch_points);
  file.table.switch_points.whole_triangle = 65;
  expect_error<InputError>(copy, {"copy.json", "not positive", "espalier calibrate"});
  const std::string text = to_json(sample_costs());
  const std::size_t at = text.find("\"switch_points\"");
  const std::string without = text.substr(0, at) + text.substr(text.find('\n', at) + 1);
  EXPECT_EQ(cost_file_from_json(without, "old.json").table.switch_points, SwitchPoints{});
}

TEST(CostFile, MayHaveGemmAndScatterApart) {
  CostFile file = support::sample_costs();
  EXPECT_EQ(to_json(file).find("scatter"), std::string::npos);
  EXPECT_TRUE(cost_file_from_json(to_json(file), "old.json").table.scatter.seconds.empty());
  file.table.gemm_alone = {{1, 1, 2}, {3e-10, 2e-10}};
  file.table.scatter = {{2, 1, 1}, {2e-9, 1e-9}};
  const CostTable copy = cost_file_from_json(to_json(file), "new.json").table;
  EXPECT_EQ(copy.gemm_alone.seconds, file.table.gemm_alone.seconds);
  EXPECT_EQ(copy.scatter.seconds, file.table.scatter.seconds);
  EXPECT_EQ(copy.scatter.classes, file.table.scatter.classes);
  file.table.scatter.seconds.pop_back();
  support::expect_error<InputError>([&] { cost_file_from_json(to_json(file), "bad.json"); },
                                    {"bad.json", "not positive", "espalier calibrate"});
}

/// Returns a table that refers to a shipped one. `more` are further members.
std::string scaled_text(const std::string& more) {
  return R"({"espalier_costs": 5, "table": ")" + support::measured_table().name + "\"" + more + "}";
}

TEST(CostFile, MayHaveTheScaledCostsOfAnotherProcessor) {
  const ShippedTable& shipped = support::measured_table();
  const CostTable table = cost_file_from_json(shipped.json, shipped.name).table;
  const CostFile scaled = cost_file_from_json(
      scaled_text(R"(, "cpu": "Mine", "provenance": "By its peak.", "scale": 2)"), "scaled.json");
  EXPECT_EQ(scaled.cpu, "Mine");
  EXPECT_EQ(scaled.provenance, "By its peak.");
  EXPECT_TRUE(scaled.scaled);
  EXPECT_FALSE(scaled.date.empty()) << "the day of the measurement";
  EXPECT_DOUBLE_EQ(scaled.table.potrf.seconds.back(), 2 * table.potrf.seconds.back());
  EXPECT_DOUBLE_EQ(scaled.table.read, 2 * table.read);
  const CostFile memory = cost_file_from_json(
      scaled_text(R"(, "cpu": "", "provenance": "", "memory_scale": 3)"), "memory.json");
  EXPECT_DOUBLE_EQ(memory.table.potrf.seconds.back(), table.potrf.seconds.back());
  EXPECT_DOUBLE_EQ(memory.table.read, 3 * table.read);
}

TEST(CostFile, KeepsItsProvenance) {
  CostFile file = sample_costs();
  EXPECT_EQ(to_json(file).find("provenance"), std::string::npos);
  file.provenance = "Measured at night.";
  EXPECT_EQ(cost_file_from_json(to_json(file), "copy.json").provenance, file.provenance);
}

TEST(CostFile, StatesWhatIsWrongWithAReference) {
  const auto refuse = [](const std::string& more, const std::string& why) {
    expect_error<InputError>([&] { cost_file_from_json(scaled_text(more), "bad.json"); },
                             {"bad.json", why, "espalier calibrate"});
  };
  const std::string origin = R"(, "cpu": "Mine", "provenance": "p")";
  refuse(R"(, "cpu": "Mine")", "damaged");
  refuse(R"(, "provenance": "p")", "damaged");
  refuse(origin + R"(, "scale": 0)", "not positive");
  refuse(origin + R"(, "memory_scale": -1)", "not positive");
  expect_error<InputError>(
      [&] {
        cost_file_from_json(
            replaced(scaled_text(origin), support::measured_table().name, "no.json"), "bad.json");
      },
      {"bad.json", "the table no.json"});
}

TEST(CostFile, IsOfDoublesUnlessItNamesAnotherScalar) {
  const std::string text = to_json(sample_costs());
  const std::string key = "\"scalar\": \"double\",\n";
  const CostTable copy = cost_file_from_json(replaced(text, key, ""), "old.json").table;
  EXPECT_EQ(copy.gemm.seconds, cost_file_from_json(text, "new.json").table.gemm.seconds);
  for (const auto& [other, why] : {std::pair("\"float\"", "the costs of float instead of double"),
                                   std::pair("8", "damaged")}) {
    expect_error<InputError>(
        [&] { cost_file_from_json(replaced(text, "\"double\"", other), "other.json"); },
        {"other.json", why, "espalier calibrate"});
  }
}

TEST(CostFile, StatesWhatIsWrongAndTheRemedy) {
  const std::string good = to_json(sample_costs());
  const auto refuse = [](const std::string& text, const std::string& why) {
    expect_error<InputError>([&] { cost_file_from_json(text, "bad.json"); },
                             {"bad.json", why, "espalier calibrate"});
  };
  refuse("", "damaged");
  refuse("[]", "damaged");
  refuse(good.substr(0, good.size() / 2), "damaged");
  refuse(replaced(good, "\"trsm\"", "\"trsn\""), "damaged");
  refuse(replaced(good, "\"host\": \"somewhere\"", "\"host\": 7"), "damaged");
  refuse(replaced(good, "\"espalier_costs\": 5", "\"espalier_costs\": 4"), "another version");
  refuse(replaced(good, "\"task_seconds\": 3", "\"task_seconds\": -3"), "not positive");
  refuse(replaced(good, "\"classes\":[2,2,1]", "\"classes\":[2,3,1]"), "not positive");
  refuse(replaced(good, "[\"subtree\",20", "[\"subtree\",-20"), "impossible class");
  refuse(replaced(good, "[\"subtree\",20", "[\"thing\",20"), "impossible class");
  refuse(replaced(good, "[\"subtree\",20", "[\"subtree\",20.5"), "20.5 where a whole number");
  refuse(replaced(good, "[\"subtree\",20", "[\"subtree\",4294967316"), "4294967316 where a");
  refuse(replaced(good, "\"classes\":[2,2,1]", "\"classes\":[2,2,1e300]"), "1e+300 where a");
}

TEST(CostFile, NamesTheProcessorOfThisMachine) {
  EXPECT_FALSE(cpu_name().empty());
  EXPECT_EQ(cpu_name(), cpu_name());
}

}  // namespace
namespace {

class CostChoiceTest : public testing::Test {
 protected:
  CostChoiceTest() { std::filesystem::create_directories(folder_); }
  ~CostChoiceTest() override { std::filesystem::remove_all(folder_); }

  std::string user_file(const std::string& text) const {
    const std::string path = folder_ / "costs.json";
    std::ofstream(path) << text;
    return path;
  }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("cost_choice_" + std::to_string(getpid()));
};

TEST_F(CostChoiceTest, PrefersTheUsersCalibrationOfThisProcessor) {
  const CostFile costs = support::sample_costs();
  const std::string path = user_file(to_json(costs));
  const CostChoice choice = choose_costs(path, costs.cpu);
  EXPECT_EQ(choice.source, "calibrated");
  EXPECT_EQ(choice.file, path);
  EXPECT_EQ(choice.date, costs.date);
  ASSERT_NE(choice.table, nullptr);
  EXPECT_NEAR(choice.table->task, costs.table.task, 1e-9);
  EXPECT_EQ(choice.warning, "");
}

TEST_F(CostChoiceTest, PassesOverACalibrationOfAnotherProcessor) {
  const std::string path = user_file(to_json(support::sample_costs()));
  const CostChoice choice = choose_costs(path, "Another CPU");
  EXPECT_EQ(choice.source, "analytic");
  EXPECT_NE(choice.warning.find(path + " was made on another processor"), std::string::npos);
}

TEST_F(CostChoiceTest, TakesTheShippedTableOfAKnownProcessor) {
  ASSERT_FALSE(shipped_tables().empty());
  for (const ShippedTable& shipped : shipped_tables()) {
    const CostFile file = cost_file_from_json(shipped.json, shipped.name);
    const CostChoice choice = choose_costs("", file.cpu);
    EXPECT_EQ(choice.source, file.scaled ? "scaled" : "shipped");
    EXPECT_EQ(choice.file, shipped.name);
    EXPECT_EQ(choice.date, file.date);
    ASSERT_NE(choice.table, nullptr);
    EXPECT_EQ(file.host, "") << "a shipped table does not name a host";
    EXPECT_EQ(file.table.history.empty(), file.scaled);
    EXPECT_TRUE(file.table.sound());
    EXPECT_EQ(file.scaled, file.provenance.find("scaled") != std::string::npos) << shipped.name;
  }
}

TEST_F(CostChoiceTest, TakesTheTableOfTheFamilyAndModel) {
  for (const char* kind : {"6 model 143", "6 model 167", "6 model 207", "25 model 1", "25 model 17",
                           "26 model 2", "26 model 17"}) {
    const CostChoice choice = choose_costs("", std::string("Any name, family ") + kind);
    EXPECT_NE(choice.table, nullptr) << kind;
    EXPECT_NE(choice.source, "analytic") << kind;
  }
  EXPECT_EQ(choose_costs("", "Any name, family 6 model 14").table, nullptr);
  EXPECT_EQ(choose_costs("", "Any name, family 25").table, nullptr);
}

TEST_F(CostChoiceTest, HasNoTableForAnUnknownProcessor) {
  const CostChoice choice = choose_costs("/nowhere/costs.json", "Unheard-of CPU");
  EXPECT_EQ(choice.source, "analytic");
  EXPECT_EQ(choice.table, nullptr);
}

TEST_F(CostChoiceTest, PassesOverADamagedCalibration) {
  const std::string path = user_file("{\"espalier_costs\": 1");
  const CostChoice choice = choose_costs(path, "any");
  EXPECT_EQ(choice.source, "analytic");
  EXPECT_EQ(choice.file, "");
  EXPECT_NE(choice.warning.find(path + " is damaged"), std::string::npos) << choice.warning;
  const CostFile shipped =
      cost_file_from_json(support::measured_table().json, support::measured_table().name);
  EXPECT_EQ(choose_costs(path, shipped.cpu).source, "shipped");
  EXPECT_EQ(choose_costs(path, shipped.cpu).warning, choice.warning);
}

TEST_F(CostChoiceTest, FindsTheUsersFileBelowTheDataFolder) {
  const support::Environment data_folder("XDG_DATA_HOME", "/data");
  EXPECT_EQ(user_cost_file().find("/data/espalier/costs-"), 0U);
}

}  // namespace
}  // namespace espalier::internal
