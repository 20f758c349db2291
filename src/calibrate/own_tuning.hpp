// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "espalier/espalier.hpp"
#include "perfmodels/cost_file.hpp"

namespace espalier::internal {

/// Maximum predicted time of the search during an analysis, in factorizations. In swCholesky, the
/// symbolic analysis with its tuning costs 3.59 factorizations on average (section 4.6). The limit
/// is lower, because predicted times may be too long.
inline constexpr double most_factorizations = 3;
/// Minimum predicted saving for which a tuning is used, as a fraction. A search tends to find
/// tunings whose predicted times are too short, so smaller savings do not count.
inline constexpr double least_predicted_gain = 0.02;

/// Orders and analyzes as an Analysis does. Between the two steps it searches for the tuning with
/// the shortest makespan at these costs (swCholesky, section 3.4). The search begins with the
/// tuning of this machine. The options that a tuning sets must be empty. The search takes at most
/// as long as `most_factorizations` factorizations. The search does not begin if two evaluations
/// would take longer. Report::tune has its result. Throws the same errors as the constructor of
/// Analysis.
Analysis analyze_and_tune(const CostChoice& costs, const Matrix& matrix,
                          const AnalysisOptions& options, const FactorOptions& factor);

}  // namespace espalier::internal
