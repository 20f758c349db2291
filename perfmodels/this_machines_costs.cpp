// SPDX-License-Identifier: BSD-3-Clause
#include "perfmodels/cost_file.hpp"
#include "perfmodels/device_file.hpp"

namespace espalier::internal {

const CostChoice& this_machines_costs() {
  static const CostChoice choice = choose_costs(user_cost_file(), cpu_name());
  return choice;
}

DeviceChoice this_machines_device_costs(const std::string& architecture) {
  return choose_device_costs(user_device_file(architecture), architecture, cpu_name());
}

}  // namespace espalier::internal
