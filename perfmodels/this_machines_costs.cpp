// SPDX-License-Identifier: BSD-3-Clause
#include "perfmodels/cost_file.hpp"

namespace espalier::internal {

const CostChoice& this_machines_costs() {
  static const CostChoice choice = choose_costs(user_cost_file(), cpu_name());
  return choice;
}

}  // namespace espalier::internal
