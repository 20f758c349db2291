// SPDX-License-Identifier: BSD-3-Clause

#include "perfmodels/cost_model.hpp"

namespace espalier::internal {

CostChoice read_host_costs(const CostSource& source) {
  if (source.host.empty()) return choose_costs(user_cost_file(), cpu_name());
  return source.host == built_in_estimates ? CostChoice{"analytic", "", nullptr}
                                           : named_costs(source.host);
}

DeviceChoice read_device_costs(const std::string& architecture, const CostSource& source) {
  if (architecture.empty() || source.devices == built_in_estimates) {
    return estimated_device_costs(architecture);
  }
  if (!source.devices.empty()) return named_device_costs(source.devices, architecture);
  return choose_device_costs(user_device_file(architecture), architecture, cpu_name());
}

}  // namespace espalier::internal
