// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "espalier/espalier.hpp"
#include "espalier/export.hpp"

/// \file
/// Fitting of plans to one matrix, and of predictions to the factorizations of this machine.

namespace espalier {

/// Orders and analyzes a matrix as the constructor of Analysis does, for the CPU workers of the
/// runtime. Between the two steps it searches for the tuning with the shortest predicted
/// factorization (Li et al., swCholesky, section 3.4): the limits of amalgamation, the panel
/// widths, the number of subtrees per worker and the rows of tiles. Report::tune describes the
/// search.
///
/// The search takes at most the predicted time of three factorizations. It is skipped if it could
/// try fewer than two choices in that time.
///
/// Throws the exceptions of the constructor of Analysis. Also throws UsageError if the runtime has
/// devices, if `factor` asks for a deterministic factor, or if one of these options is not empty:
/// panel_width, narrow_panel_width, amalgamation, subtrees_per_worker, tile_rows.
///
/// \param runtime StarPU; the factorization is planned for its CPU workers.
/// \param matrix Matrix to analyze.
/// \param options Options of the analysis. AnalysisOptions::workers is ignored.
/// \param factor Options of the factor that will be made from the analysis.
/// \return The analysis with the best tuning that was found.
ESPALIER_EXPORT Analysis analyze_and_tune(const Runtime& runtime, const Matrix& matrix,
                                          const AnalysisOptions& options = {},
                                          const FactorOptions& factor = {});

/// Lets CUDA devices measure the tasks of this factor by their own clocks, from now on. This takes
/// two more kernels per task. Before this call, the host measures the tasks. Call it before the
/// factorization that learn_costs() will learn from.
ESPALIER_EXPORT void time_devices(const Factor& factor);

/// Adds the measured times of the tasks of the last factorization to the user's calibration of this
/// machine. Runtimes that start later predict with it. If there are devices, only the calibration
/// of devices learns, because the drivers of devices take time from the tasks of CPUs.
///
/// Returns whether the user has a calibration that learned. Throws UsageError before the second
/// factorization, because the first one also touches its memory for the first time. Throws
/// InputError if a cost file is damaged or cannot be replaced, and RuntimeFailure if the disk is
/// full. Cost O(tasks).
ESPALIER_EXPORT bool learn_costs(const Factor& factor);

}  // namespace espalier
