// SPDX-License-Identifier: BSD-3-Clause

#include "perfmodels/cost_model.hpp"

namespace espalier::internal {

CostChoice read_host_costs() { return choose_costs(user_cost_file(), cpu_name()); }

DeviceChoice read_device_costs(const std::string& architecture) {
  const std::string file = architecture.empty() ? "" : user_device_file(architecture);
  return choose_device_costs(file, architecture, cpu_name());
}

}  // namespace espalier::internal
