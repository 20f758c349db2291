// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "cli/progress.hpp"
#include "compare/comparison.hpp"
#include "espalier/options.hpp"

namespace espalier::internal {

struct MeasureOptions {
  Index rounds = 5;
  Index workers = 0;
  AnalysisOptions analysis;
  FactorOptions factor;
};

/// Untimed factorizations after each start of StarPU: they touch the memory and wake the workers.
inline constexpr Index warming_runs = 2;
/// Timed ones after them.
inline constexpr Index timed_runs = 3;

/// Analyzes the matrix once; then starts StarPU with each policy in turn and factorizes, in as many
/// rounds, each of which begins with another policy. Throws UnknownScheduler where StarPU runs
/// another policy, NotPositiveDefinite, and InaccurateSolution where a solve with the factor of a
/// policy is not accurate.
Comparison measure(const std::string& matrix, const std::vector<PolicyChoice>& policies,
                   const MeasureOptions& options, Progress& progress);

}  // namespace espalier::internal
