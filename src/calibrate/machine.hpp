// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "calibrate/calibration.hpp"
#include "espalier/types.hpp"
#include "perfmodels/machine_file.hpp"

namespace espalier::internal {

/// Describes this machine for simulations, with the table that was measured with `workers` busy
/// workers. Measures how much faster tasks are with 1, 2, 4, ... busy workers. Estimates the time
/// of a message to another process from the memory bandwidth. Adds the calibrated devices. StarPU
/// must not run. Cost: 20 factorizations of each of three small problems, for every power of two
/// below `workers` in each of options.load_rounds rounds.
MachineFile describe_machine(CostFile costs, Index workers, const CalibrationOptions& options,
                             const std::function<void(const std::string& next)>& progress);

/// Returns the calibrated devices of this machine: coprocessors that share the host's memory, one
/// per core, up to 16.
std::vector<MachineFile::Devices> calibrated_devices(Index cores);

}  // namespace espalier::internal
