// SPDX-License-Identifier: BSD-3-Clause
#include <cstdlib>
#include <memory>

#include "espalier/error.hpp"
#include "perfmodels/cost_file.hpp"
#include "simulated/perfmodels/simulated_machine.hpp"

namespace espalier::internal {

namespace {

MachineFile read_machine() {
  const char* const file = std::getenv("ESPALIER_SIMULATED_MACHINE");
  if (file == nullptr) throw UsageError("simulations are started by espalier simulate");
  return find_machine(file);
}

}  // namespace

const MachineFile& simulated_machine() {
  static const MachineFile machine = read_machine();
  return machine;
}

const CostChoice& this_machines_costs() {
  static const CostChoice choice{"simulated", simulated_machine().name,
                                 std::make_shared<CostTable>(simulated_machine().costs.table)};
  return choice;
}

}  // namespace espalier::internal
