// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "perfmodels/machine_file.hpp"

namespace espalier::internal {

/// Returns a machine whose overheads, copies and mutual slowdowns take no time, with this number of
/// cores and of devices of this architecture. Only its tasks take time.
MachineFile ideal_machine(Index cores, const std::string& architecture, Index devices);

/// Returns the variables that set StarPU's simulated time per task to 0.
std::vector<std::string> variables_without_overhead();

}  // namespace espalier::internal
