// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "perfmodels/machine_file.hpp"

namespace espalier::internal {

/// Returns the machine that is simulated: the one in the file that ESPALIER_SIMULATED_MACHINE
/// names, read once. Throws InputError.
const MachineFile& simulated_machine();

/// Returns the devices that each node of it has; null where there are none.
const MachineFile::Devices* simulated_devices();

}  // namespace espalier::internal
