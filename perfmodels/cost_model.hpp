// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "perfmodels/cost_file.hpp"
#include "perfmodels/device_file.hpp"

namespace espalier::internal {

/// Costs by which times are predicted, as the files had them when they were read.
struct CostModel {
  CostChoice host;
  DeviceChoice devices;
};

/// Reads this user's costs of CPU workers on this machine, as choose_costs() does.
CostChoice read_host_costs();

/// Reads this user's costs of devices of this architecture on this machine, as
/// choose_device_costs() does. Without an architecture the costs are rules of thumb.
DeviceChoice read_device_costs(const std::string& architecture);

}  // namespace espalier::internal
