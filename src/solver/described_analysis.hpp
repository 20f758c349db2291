// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "graph/described_graph.hpp"
#include "solver/analysis.hpp"

namespace espalier::internal {

/// Returns the planned tasks as plain data, for files. `options` are words of the command line that
/// the origin names. The tasks have times on devices of each architecture that was calibrated on
/// this machine.
DescribedGraph describe(const AnalysisData& analysis, const PredictedFactorization& factorization,
                        std::vector<std::string> options = {});

}  // namespace espalier::internal
