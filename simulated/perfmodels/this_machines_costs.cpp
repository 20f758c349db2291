// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>
#include <memory>

#include "perfmodels/cost_file.hpp"

namespace espalier::internal {

namespace {

CostChoice simulated_costs() {
  const char* const file = std::getenv("ESPALIER_SIMULATED_COSTS");
  if (file == nullptr) return {"analytic", "", nullptr};
  return {"simulated", file, std::make_shared<CostTable>(read_cost_file(file).table)};
}

}  // namespace

/// Those of the machine that is simulated.
const CostChoice& this_machines_costs() {
  static const CostChoice choice = simulated_costs();
  return choice;
}

}  // namespace espalier::internal
