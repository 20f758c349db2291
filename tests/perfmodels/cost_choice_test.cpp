// SPDX-License-Identifier: BSD-3-Clause
#include "perfmodels/cost_choice.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "espalier/error.hpp"
#include "perfmodels/sample_costs.hpp"
#include "support/expect_error.hpp"

namespace espalier {
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
  ASSERT_NE(choice.table, nullptr);
  EXPECT_NEAR(choice.table->task, costs.table.task, 1e-9);
}

TEST_F(CostChoiceTest, PassesOverACalibrationOfAnotherProcessor) {
  const std::string path = user_file(to_json(support::sample_costs()));
  EXPECT_EQ(choose_costs(path, "Another CPU").source, "analytic");
}

TEST_F(CostChoiceTest, TakesTheShippedTableOfAKnownProcessor) {
  ASSERT_FALSE(shipped_tables().empty());
  for (const ShippedTable& shipped : shipped_tables()) {
    const CostFile file = cost_file_from_json(shipped.json, shipped.name);
    const CostChoice choice = choose_costs("", file.cpu);
    EXPECT_EQ(choice.source, "shipped");
    EXPECT_EQ(choice.file, shipped.name);
    ASSERT_NE(choice.table, nullptr);
    EXPECT_EQ(file.host, "") << "a table for everybody names no host";
    EXPECT_FALSE(file.table.history.empty());
  }
}

TEST_F(CostChoiceTest, HasNoTableForAnUnknownProcessor) {
  const CostChoice choice = choose_costs("/nowhere/costs.json", "Unheard-of CPU");
  EXPECT_EQ(choice.source, "analytic");
  EXPECT_EQ(choice.table, nullptr);
}

TEST_F(CostChoiceTest, RefusesADamagedCalibration) {
  const std::string path = user_file("{\"espalier_costs\": 1");
  support::expect_error<InputError>([&] { choose_costs(path, "any"); }, {path, "damaged"});
}

TEST_F(CostChoiceTest, FindsTheUsersFileBelowTheDataFolder) {
  const char* const before = std::getenv("XDG_DATA_HOME");
  const std::string kept = before ? before : "";
  setenv("XDG_DATA_HOME", "/data", 1);
  EXPECT_EQ(user_cost_file().find("/data/espalier/costs-"), 0U);
  before ? setenv("XDG_DATA_HOME", kept.c_str(), 1) : unsetenv("XDG_DATA_HOME");
}

}  // namespace
}  // namespace espalier
