// SPDX-License-Identifier: BSD-3-Clause
#include "calibrate/machine.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "perfmodels/cost_file.hpp"
#include "perfmodels/device_file.hpp"
#include "support/environment.hpp"
#include "support/temporary_folder.hpp"

namespace espalier::internal {
namespace {

TEST(CalibratedDevices, AreThoseThatTheUserHasMeasured) {
  const support::TemporaryFolder folder;
  const std::string place = folder.path("");
  const support::Environment home("XDG_DATA_HOME", place.c_str());
  EXPECT_TRUE(calibrated_devices(4).empty());
  DeviceFile file{"here", cpu_name(), "coprocessor", "2026-01-02", {}};
  file.table.gemm = file.table.syrk = {{1, 1, 1}, {1e-9}};
  file.table.to = {1e-6, 2e-9};
  const std::string path = user_device_file("coprocessor");
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path) << to_json(file);
  const auto devices = calibrated_devices(4);
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_EQ(devices.front().architecture, "coprocessor");
  EXPECT_EQ(devices.front().count, 4);
  EXPECT_GT(devices.front().memory_bytes, 1 << 20);
  EXPECT_EQ(devices.front().costs.to.byte, 2e-9);
  EXPECT_GT(devices.front().costs.back.byte, 0) << "a machine has links with a rate";
  EXPECT_EQ(calibrated_devices(100).front().count, 16);
}

}  // namespace
}  // namespace espalier::internal
