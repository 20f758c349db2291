// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "espalier/espalier.hpp"
#include "espalier/export.hpp"

/// \file
/// This header has what fits plans to one matrix, and predictions to the factorizations of this
/// machine.

namespace espalier {

/// Orders and analyzes as an Analysis does for the CPU workers of the runtime. Between both it
/// searches for the widths of panels and the limits of amalgamation for which the shortest
/// factorization is predicted (Zhu et al., swCholesky, section 3.4). The search takes at most the
/// predicted time of three factorizations. If it could try fewer than two choices in that time, it
/// does not begin. Report::tune has its result. The function throws the same errors as the
/// constructor of Analysis. It throws UsageError if the options leave no choice, if they ask for a
/// deterministic factor, or if the runtime has devices.
ESPALIER_EXPORT Analysis analyze_and_tune(const Runtime& runtime, const Matrix& matrix,
                                          const AnalysisOptions& options = {},
                                          const FactorOptions& factor = {});

/// From now on CUDA devices measure the tasks of this factor by clocks of their own. This takes two
/// more kernels for each task. Before this call the host measures them. Call it before the
/// factorization from which learn_costs() is to learn.
ESPALIER_EXPORT void time_devices(const Factor& factor);

/// Adds the measured times of the tasks of the last factorization to the user's calibration of this
/// machine. Runtimes that start later predict by it. If there are devices, only the calibration of
/// devices learns, because their drivers take time from the tasks of CPUs. Returns whether the user
/// has a calibration that learned. Throws UsageError before the second factorization, because the
/// first one also touches its memory for the first time; InputError if a file of costs is damaged
/// or cannot be replaced; and RuntimeFailure if the disk is full. Cost O(tasks).
ESPALIER_EXPORT bool learn_costs(const Factor& factor);

}  // namespace espalier
