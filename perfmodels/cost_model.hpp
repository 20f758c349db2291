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

/// Reads the costs of CPU workers that the source names. If it names none, choose_costs() chooses
/// among those of this machine. Throws InputError if a named file cannot be used.
CostChoice read_host_costs(const CostSource& source = {});

/// Reads the costs of devices of this architecture that the source names. If it names none,
/// choose_device_costs() chooses among those of this machine. If the architecture is empty, the
/// costs are the built-in estimates. Throws InputError if a named file cannot be used.
DeviceChoice read_device_costs(const std::string& architecture, const CostSource& source = {});

}  // namespace espalier::internal
