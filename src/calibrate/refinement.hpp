// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "espalier/schedule.hpp"
#include "espalier/types.hpp"

namespace espalier::internal {

/// Adds what the tasks of a warm factorization with so many entries of L took on CPUs to the
/// history in the user's calibration, which that factorization was planned with. The history is of
/// as many busy workers as the calibration is: where those were others than `workers`, it learns by
/// what this machine's file says of such loads, and without one nothing. Throws InputError where
/// either file is damaged or the calibration cannot be replaced, RuntimeFailure where the disk is
/// full; the calibration stays as it was then.
void refine_calibration(const std::string& file, const Schedule& warm, Count entries,
                        Index workers);

/// The same of what tasks took on devices, for the calibration of these, and of what copies took
/// where they go one after the other: half of the way to their median, in logarithms.
void refine_device_calibration(const std::string& file, const Schedule& warm, Count entries);

}  // namespace espalier::internal
