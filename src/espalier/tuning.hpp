// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "espalier/espalier.hpp"
#include "espalier/export.hpp"

/// \file
/// This header has what fits plans to one matrix, and predictions to the factorizations of this
/// machine.

namespace espalier {

/// Orders and analyzes as an Analysis does for the CPU workers of the runtime. Between both it
/// looks for the widths of panels and the limits of amalgamation with which this matrix is
/// predicted to be factored fastest with these options (Zhu et al., swCholesky, section 3.4).
/// All looks together take no longer than three factorizations are predicted to take; there are
/// none where two would take longer. Report::tune says what was found. Throws what Analysis throws,
/// and UsageError if the options leave no choice, if they ask for a deterministic factor, or if
/// the runtime has devices.
ESPALIER_EXPORT Analysis analyze_and_tune(const Runtime& runtime, const Matrix& matrix,
                                          const AnalysisOptions& options = {},
                                          const FactorOptions& factor = {});

/// From now on CUDA devices say by clocks of their own how long the tasks of the factor take there,
/// which costs them two kernels more for each task. Before that it is what the host sees. Call it
/// before the factorization that learn_costs() is to learn from.
ESPALIER_EXPORT void time_devices(const Factor& factor);

/// Adds what the tasks of the last factorization took, beside what they were predicted to take, to
/// the user's calibration of this machine, by which later runtimes predict. If there are devices,
/// only their calibration learns, because their drivers take time from the tasks of CPUs. Returns
/// whether there is a calibration that learned. Throws UsageError before the second factorization,
/// because the first one pays for memory that no model knows of; InputError if a file of costs is
/// damaged or cannot be replaced; and RuntimeFailure if the disk is full. Cost O(tasks).
ESPALIER_EXPORT bool learn_costs(const Factor& factor);

}  // namespace espalier
