// SPDX-License-Identifier: BSD-3-Clause

#include "perfmodels/cost_model.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "espalier/error.hpp"
#include "perfmodels/sample_files.hpp"
#include "support/environment.hpp"
#include "support/expect.hpp"
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

class NamedCosts : public CostModelOfAUser {
 protected:
  NamedCosts() {
    calibrate_host();
    calibrate_devices("coprocessor");
    write(file_, to_json(sample_costs()));
    write(device_file_, to_json(sample_device()));
  }

  support::TemporaryFolder named_;
  std::string file_ = named_.path("host.json");
  std::string device_file_ = named_.path("device.json");
};

TEST_F(NamedCosts, AreThoseOfTheFileOfAnyProcessor) {
  ASSERT_NE(sample_costs().cpu, cpu_name());
  const CostSource source{file_, device_file_};
  const CostChoice host = read_host_costs(source);
  EXPECT_EQ(host.source, "named");
  EXPECT_EQ(host.file, file_);
  EXPECT_EQ(host.date, sample_costs().date);
  EXPECT_NEAR(host.table->take, sample_costs().table.take, 1e-12);
  const DeviceChoice devices = read_device_costs("coprocessor", source);
  EXPECT_EQ(devices.source, "named");
  EXPECT_EQ(devices.table->task, sample_device().table.task);
}

TEST_F(NamedCosts, MayBeTheBuiltInEstimates) {
  const CostSource source{built_in_estimates, built_in_estimates};
  const CostChoice host = read_host_costs(source);
  EXPECT_EQ(host.source, "analytic");
  EXPECT_EQ(host.table, nullptr);
  EXPECT_EQ(read_device_costs("coprocessor", source).source, "analytic");
}

TEST_F(NamedCosts, HaveToBeOfUse) {
  const auto refuse = [](const CostSource& source, const std::string& file, const char* why) {
    support::expect_error<InputError>(
        [&] {
          source.host.empty() ? static_cast<void>(read_device_costs("coprocessor", source))
                              : static_cast<void>(read_host_costs(source));
        },
        {file, why});
  };
  const std::string missing = named_.path("missing.json");
  const std::string damaged = named_.path("damaged.json");
  write(damaged, "{");
  refuse({missing, ""}, missing, "cannot be read");
  refuse({damaged, ""}, damaged, "damaged");
  refuse({"", missing}, missing, "cannot be read");
  refuse({"", damaged}, damaged, "damaged");
  const CostSource other{"", device_file_};
  support::expect_error<InputError>([&] { read_device_costs("cuda", other); },
                                    {device_file_, "is for other devices"});
}

}  // namespace
}  // namespace espalier::internal
