// SPDX-License-Identifier: BSD-3-Clause

#include "perfmodels/cost_model.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "perfmodels/sample_files.hpp"
#include "support/environment.hpp"
#include "support/temporary_folder.hpp"

namespace espalier::internal {
namespace {

using support::sample_costs;
using support::sample_device;

/// A user's data folder for one test.
class CostModelOfAUser : public testing::Test {
 protected:
  static void write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path) << text;
  }

  static void calibrate_host() {
    CostFile file = sample_costs();
    file.cpu = cpu_name();
    write(user_cost_file(), to_json(file));
  }

  static void calibrate_devices(const std::string& architecture) {
    DeviceFile file = sample_device();
    file.architecture = architecture;
    file.cpu = cpu_name();
    write(user_device_file(architecture), to_json(file));
  }

 private:
  support::TemporaryFolder folder_;
  std::string place_ = folder_.path("");
  support::Environment home_{"XDG_DATA_HOME", place_.c_str()};
};

TEST_F(CostModelOfAUser, IsReadAgainAtEachCall) {
  EXPECT_NE(read_host_costs().source, "calibrated");
  EXPECT_EQ(read_device_costs("coprocessor").source, "analytic");
  calibrate_host();
  calibrate_devices("coprocessor");
  const CostChoice host = read_host_costs();
  EXPECT_EQ(host.source, "calibrated");
  EXPECT_EQ(host.file, user_cost_file());
  EXPECT_EQ(host.date, sample_costs().date);
  EXPECT_EQ(read_device_costs("coprocessor").source, "calibrated");
  EXPECT_EQ(read_device_costs("cuda").source, "analytic");
}

TEST_F(CostModelOfAUser, HasRulesOfThumbWithoutDevices) {
  calibrate_devices("coprocessor");
  const DeviceChoice none = read_device_costs("");
  EXPECT_EQ(none.source, "analytic");
  EXPECT_FALSE(none.table->measured());
}

TEST_F(CostModelOfAUser, WarnsOfADamagedFile) {
  write(user_cost_file(), "{");
  const CostChoice host = read_host_costs();
  EXPECT_NE(host.source, "calibrated");
  EXPECT_NE(host.warning.find("damaged"), std::string::npos) << host.warning;
}

}  // namespace
}  // namespace espalier::internal
