// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "espalier/schedule.hpp"
#include "espalier/types.hpp"

namespace espalier::internal {

/// Adds the times of CPU tasks of a warm factorization to the history in the user's calibration.
/// The factorization must have been planned with that calibration. L has `entries` entries. The
/// history is for the number of busy workers of the calibration. If `workers` is another number,
/// the times are converted by the load in this machine's description. Without a description, the
/// function does nothing. Throws InputError if either file is damaged or the calibration cannot be
/// replaced, RuntimeFailure if the disk is full; the calibration then stays unchanged.
void refine_calibration(const std::string& file, const Schedule& warm, Count entries,
                        Index workers);

/// Adds the times of tasks on devices to the calibration of the devices. If copies do not overlap
/// with kernels, also moves the costs of copies halfway to the measured median, on a logarithmic
/// scale.
void refine_device_calibration(const std::string& file, const Schedule& warm, Count entries);

}  // namespace espalier::internal
