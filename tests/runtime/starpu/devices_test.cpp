// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/starpu/devices.hpp"

#include <gtest/gtest.h>

#include "espalier/error.hpp"
#include "support/expect.hpp"

namespace espalier::internal {
namespace {

TEST(Devices, FailTheFactorWhoseBudgetWasExceededOnceAndNoOther) {
  DeviceBudget exceeded;
  DeviceBudget other;
  exceeded.exceeded = true;
  EXPECT_NO_THROW(expect_devices_did_well(other));
  support::expect_error<MemoryError>([&] { expect_devices_did_well(exceeded); },
                                     {"device_memory", "on_device_full"});
  EXPECT_NO_THROW(expect_devices_did_well(exceeded));
}

}  // namespace
}  // namespace espalier::internal
