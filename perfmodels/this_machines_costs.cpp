// SPDX-License-Identifier: BSD-3-Clause
#include <map>
#include <mutex>
#include <string>

#include "perfmodels/cost_file.hpp"
#include "perfmodels/device_file.hpp"

namespace espalier::internal {

const CostChoice& this_machines_costs() {
  static const CostChoice choice = choose_costs(user_cost_file(), cpu_name());
  return choice;
}

const DeviceChoice& this_machines_device_costs(const std::string& architecture) {
  static std::mutex mutex;
  static std::map<std::string, DeviceChoice> choices;
  const std::lock_guard lock(mutex);
  const auto known = choices.find(architecture);
  if (known != choices.end()) return known->second;
  const std::string file = user_device_file(architecture);
  return choices.emplace(architecture, choose_device_costs(file, architecture, cpu_name()))
      .first->second;
}

}  // namespace espalier::internal
