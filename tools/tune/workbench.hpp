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

/// The place where tunings are measured and will be used.
struct Workbench {
  TuningPlace place;
  Index threads = 1;  ///< number of threads that may compute in this process between measurements
  std::vector<std::string> warnings;
  CostChoice costs;  ///< costs for the predictions

  /// Factorizes the matrix with the defaults and with the tuning in turns, `rounds` times each,
  /// after some factorizations to warm up. `name` is the matrix on the command line. Throws
  /// NotPositiveDefinite, and the error of a failed process.
  std::function<Trial(const std::string& name, const Matrix& matrix, const Tuning& tuning,
                      Index rounds)>
      measure;
};

/// Returns the options of `solve` that describe the coprocessors of a place; none if it has none.
std::vector<std::string> words_of(const RunPlace& place, const Coprocessors& coprocessors);

/// Returns a workbench in this process and starts StarPU. All factors have these dense kernels.
/// Throws the same errors as Runtime and prepare_starpu_environment().
Workbench own_workbench(RuntimeOptions options, DenseKernels::Source kernels);

/// Returns a workbench whose measurements are runs of `solve`, each with a few factorizations. A
/// first run of a small matrix finds the existing workers and devices. Throws the error of that
/// run, and UsageError if there is no CUDA device.
Workbench workbench_at(const RunPlace& place, const Coprocessors& coprocessors,
                       DenseKernels::Source kernels);

}  // namespace espalier::internal
