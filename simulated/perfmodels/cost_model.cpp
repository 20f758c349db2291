// SPDX-License-Identifier: BSD-3-Clause

#include "perfmodels/cost_model.hpp"

#include <cstdlib>
#include <memory>

#include "espalier/error.hpp"
#include "simulated/perfmodels/simulated_machine.hpp"

namespace espalier::internal {

namespace {

MachineFile read_machine() {
  const char* const file = std::getenv("ESPALIER_SIMULATED_MACHINE");
  if (file == nullptr) throw UsageError("run espalier simulate to start a simulation");
  return find_machine(file);
}

}  // namespace

const MachineFile& simulated_machine() {
  static const MachineFile machine = read_machine();
  return machine;
}

const MachineFile::Devices* simulated_devices() {
  const auto& devices = simulated_machine().devices;
  return devices.empty() ? nullptr : &devices.front();
}

DeviceChoice read_device_costs(const std::string& architecture, const CostSource& /*source*/) {
  if (architecture.empty()) return estimated_device_costs(architecture);
  const MachineFile::Devices* const devices = simulated_devices();
  if (devices == nullptr || devices->architecture != architecture) {
    throw UsageError("no node of the simulated machine has a device of this kind: " + architecture);
  }
  static const DeviceChoice choice{"simulated", std::make_shared<DeviceTable>(devices->costs)};
  return choice;
}

CostChoice read_host_costs(const CostSource& /*source*/) {
  static const CostChoice choice{"simulated", simulated_machine().name,
                                 std::make_shared<CostTable>(simulated_machine().costs.table), "",
                                 simulated_machine().costs.date};
  return choice;
}

}  // namespace espalier::internal
