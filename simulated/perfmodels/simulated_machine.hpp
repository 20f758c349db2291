// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "perfmodels/machine_file.hpp"

namespace espalier::internal {

/// Returns the simulated machine: that of the file that ESPALIER_SIMULATED_MACHINE names, read
/// once. Throws InputError.
const MachineFile& simulated_machine();

/// Returns the devices of each node, or null if it has none.
const MachineFile::Devices* simulated_devices();

}  // namespace espalier::internal
