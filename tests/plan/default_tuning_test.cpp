// SPDX-License-Identifier: BSD-3-Clause
#include "plan/default_tuning.hpp"

#include <gtest/gtest.h>

#include "base/dense.hpp"

namespace espalier::internal {
namespace {

/// Returns a device with these seconds per operation of POTRF and of other kernels, and per task.
DeviceTable device(double operation, double potrf, double task) {
  DeviceTable table;
  table.syrk = table.gemm = table.trsm = {{1, 1, 1}, {operation}};
  table.potrf = {{1, 1, 1}, {potrf}};
  table.task = task;
  return table;
}

TEST(DefaultTuning, HasWiderPanelsBesideDevicesThatDoWholePanels) {
  const DeviceTable unknown;
  EXPECT_EQ(default_tuning(nullptr, {}, 1024).panel_width, Tuning{}.panel_width);
  EXPECT_EQ(default_tuning(&unknown, {}, 1024).panel_width, 2 * Tuning{}.panel_width);
  EXPECT_EQ(default_tuning(&unknown, {}, 0).panel_width, Tuning{}.panel_width);
}

TEST(DefaultTuning, HasTheWidestPanelsWhereTheyAreDoneSooner) {
  const auto width = [](const DeviceTable& table) {
    return default_tuning(&table, {}, 1024).panel_width;
  };
  EXPECT_EQ(width(device(1e-13, 1e-13, 1e-3)), 1024) << "fewer tasks";
  const DeviceTable fast = device(1e-13, 1e-13, 1e-3);
  EXPECT_EQ(default_tuning(&fast, {}, 512).panel_width, 512) << "the policy limits the width";
  EXPECT_EQ(width(device(1e-13, 1e-9, 1e-6)), 512) << "more of POTRF";
}

TEST(DefaultTuning, GoesByTheHistoryOfTheDevice) {
  DeviceTable table = device(1e-13, 1e-13, 1e-5);
  const double wider = 1024;
  const double flops = flops::potrf(wider);
  ASSERT_EQ(default_tuning(&table, {}, 1024).panel_width, wider);
  table.history.add({TaskKind::diagonal, flops, 1e-13 * flops, 1e8}, 1e6);
  EXPECT_LT(default_tuning(&table, {}, 1024).panel_width, wider);
}

/// After a calibration of only a device, neither the device nor the host has a table of POTRF.
TEST(DefaultTuning, GoesByTheHostWhereKernelsOfTheDeviceWereNotMeasured) {
  DeviceTable table = device(1e-13, 0, 1);
  table.potrf = table.trsm = {};
  EXPECT_EQ(default_tuning(&table, {}, 1024).panel_width, 1024) << "fewer tasks";
  table.task = 0;
  EXPECT_EQ(default_tuning(&table, {}, 1024).panel_width, 512) << "more of POTRF";
}

}  // namespace
}  // namespace espalier::internal
