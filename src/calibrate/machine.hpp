// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "calibrate/calibration.hpp"
#include "espalier/types.hpp"
#include "perfmodels/machine_file.hpp"

namespace espalier::internal {

/// Describes this machine for simulations, by the table that was measured with `workers` busy: how
/// much less time tasks take while fewer are, by the same tasks under 1, 2, 4, ... workers,
/// and what a message to another process takes, by the memory that it goes through. Its devices are
/// those that were calibrated. StarPU must not run. Cost: for every power of two below `workers`,
/// in each round of the options, 20 factorizations of each of three small problems.
MachineFile describe_machine(CostFile costs, Index workers, const CalibrationOptions& options,
                             const std::function<void(const std::string& next)>& progress);

/// Returns the devices of this machine whose costs the user has measured: coprocessors, as many as
/// there are cores, which share the host's memory.
std::vector<MachineFile::Devices> calibrated_devices(Index cores);

}  // namespace espalier::internal
