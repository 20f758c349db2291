// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "perfmodels/machine_file.hpp"

namespace espalier::internal {

/// Returns the machine that the file ESPALIER_SIMULATED_MACHINE describes. The first call reads the
/// file. Throws UsageError if the variable is not set, and InputError if the file cannot be used.
const MachineFile& simulated_machine();

/// Time in seconds for which a thread holds the lock of a policy to enter a task or to choose one
/// (experiment `lock-held` in docs/experiments.md). The overhead per task contains it twice.
inline constexpr double decision_seconds = 0.3e-6;

/// Returns the devices of each node, or null if the nodes have none.
const MachineFile::Devices* simulated_devices();

}  // namespace espalier::internal
