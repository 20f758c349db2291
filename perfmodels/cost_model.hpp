// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "espalier/options.hpp"
#include "perfmodels/cost_file.hpp"
#include "perfmodels/device_file.hpp"

namespace espalier::internal {

/// Costs of the host and of devices that predict times, as read from their files.
struct CostModel {
  CostChoice host;
  DeviceChoice devices;
};

/// Value of CostSource::host and CostSource::devices that selects the built-in estimates.
inline constexpr const char* built_in_estimates = "estimates";

/// Returns the costs of CPU workers that the source names. If it names none, returns the choice of
/// choose_costs() for this machine. Throws InputError if a named file cannot be used.
CostChoice read_host_costs(const CostSource& source = {});

/// Returns the costs of devices of this architecture that the source names. If it names none,
/// returns the choice of choose_device_costs() for this machine. If the architecture is empty,
/// returns the built-in estimates. Throws InputError if a named file cannot be used.
DeviceChoice read_device_costs(const std::string& architecture, const CostSource& source = {});

}  // namespace espalier::internal
