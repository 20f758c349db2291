// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "espalier/options.hpp"
#include "perfmodels/cost_file.hpp"
#include "perfmodels/device_file.hpp"

namespace espalier::internal {

/// Costs by which times are predicted, as the files had them when they were read.
struct CostModel {
  CostChoice host;
  DeviceChoice devices;
};

/// Value of CostSource::host and devices for the built-in estimates.
inline constexpr const char* built_in_estimates = "estimates";

/// Reads the costs of CPU workers: those of this machine as choose_costs() does, else those that
/// the source names. Throws InputError if a file that it names cannot be used.
CostChoice read_host_costs(const CostSource& source = {});

/// Reads the costs of devices of this architecture: those of this machine as choose_device_costs()
/// does, else those that the source names. Without an architecture the costs are the built-in
/// estimates. Throws InputError if a file that the source names cannot be used.
DeviceChoice read_device_costs(const std::string& architecture, const CostSource& source = {});

}  // namespace espalier::internal
