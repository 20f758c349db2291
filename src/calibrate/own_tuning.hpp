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

/// Orders and analyzes as an Analysis does. Between both it searches for the widths and limits for
/// which these costs predict the shortest makespan (swCholesky, section 3.4). The search begins
/// with the tuning of this machine, and the options have to leave the widths and limits empty. It
/// takes at most `most_factorizations`. If two looks would take longer, it does not begin.
/// Report::tune has its result. The function throws the same errors as the constructor of Analysis.
Analysis analyze_and_tune(const CostChoice& costs, const Matrix& matrix,
                          const AnalysisOptions& options, const FactorOptions& factor);

}  // namespace espalier::internal
