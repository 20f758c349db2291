// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "espalier/espalier.hpp"
#include "perfmodels/cost_file.hpp"

namespace espalier::internal {

/// What the search beside an analysis may take, in predicted factorizations. In swCholesky symbolic
/// analysis, which includes its tuning, costs 3.59 factorizations in the mean (section 4.6); what
/// is left to four is for predictions that are too long.
inline constexpr double most_factorizations = 3;
/// A search finds above all where predictions err: what is predicted to save less stays unused.
inline constexpr double least_predicted_gain = 0.02;

/// Orders and analyzes as an Analysis does, and in between looks for the widths and limits with
/// which this matrix is predicted, by these costs, to be factored fastest (swCholesky, section 3.4,
/// with the makespan as objective), from those of this machine on; the options have to leave them
/// open. All looks take no longer than `most_factorizations`; there are none where two would.
/// Report::tune says what was found. Throws as Analysis does.
Analysis analyze_and_tune(const CostChoice& costs, const Matrix& matrix,
                          const AnalysisOptions& options, const FactorOptions& factor);

}  // namespace espalier::internal
