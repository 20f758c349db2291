// SPDX-License-Identifier: BSD-3-Clause
#include "calibrate/calibration.hpp"

#include <gtest/gtest.h>

#include "espalier/error.hpp"
#include "support/expect.hpp"

namespace espalier::internal {
namespace {

TEST(Calibration, OfDevicesNeedsOne) {
  support::expect_error<UsageError>(
      [] {
        calibrate_devices(RuntimeOptions{1, "espalier"}, {}, [](const std::string&) {});
      },
      {"no device to measure"});
}

}  // namespace
}  // namespace espalier::internal
