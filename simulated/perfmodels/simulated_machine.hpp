// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "perfmodels/machine_file.hpp"

namespace espalier::internal {

/// Returns the machine that the file ESPALIER_SIMULATED_MACHINE describes. The first call reads the
/// file. Throws UsageError if the variable is not set, and InputError if the file cannot be used.
const MachineFile& simulated_machine();

/// Returns the devices of each node, or null if the nodes have none.
const MachineFile::Devices* simulated_devices();

}  // namespace espalier::internal
