// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "compare/comparison.hpp"
#include "espalier/espalier.hpp"
#include "launch/coprocessors.hpp"
#include "perfmodels/cost_file.hpp"
#include "perfmodels/tuning_file.hpp"
#include "tune/trial.hpp"

namespace espalier::internal {

/// Where tunings are measured, which is where they are to be used.
struct Workbench {
  TuningPlace place;
  Index threads = 1;  ///< how many may compute in this process between measurements
  std::vector<std::string> warnings;
  CostChoice costs;  ///< by which times are predicted

  /// Factorizes the matrix, which has this name on the command line, with the defaults and with the
  /// tuning by turns, `rounds` times, after some of each to warm up. Throws NotPositiveDefinite,
  /// and what a process failed with.
  std::function<Trial(const std::string& name, const Matrix& matrix, const Tuning& tuning,
                      Index rounds)>
      measure;
};

/// Starts StarPU in this process. Throws as Runtime and prepare_starpu_environment() do.
Workbench own_workbench(RuntimeOptions options);

/// Measures by runs of `solve`, each a few factorizations. A first one, of a small matrix, says
/// what there is. Throws what it failed with, and UsageError where there is no CUDA device.
Workbench workbench_at(const RunPlace& place, const Coprocessors& coprocessors);

}  // namespace espalier::internal
