// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibrate/tuning_problem.hpp"
#include "calibrate/tuning_search.hpp"
#include "cli/progress.hpp"
#include "tune/workbench.hpp"

namespace espalier::internal {

/// A tuning that was tried.
struct Finding {
  Tuning tuning;
  std::vector<MatrixGain> gains;
};

/// All matrices and what is predicted for them: for one process with as many CPU workers as there
/// are workers of all ranks and devices.
class Problems {
 public:
  /// Reads and orders the matrices.
  Problems(std::vector<std::string> names, const Workbench& bench, Progress& progress);

  /// Returns what a search from `start` on finds by the makespan.
  std::optional<Candidate> found(const Tuning& start, const SearchOptions& options,
                                 Progress& progress);
  /// Returns what the search and the model of swCholesky find.
  Candidate found_as_in_the_paper(const SearchOptions& options, Progress& progress) const;

  /// Returns what is predicted and measured; further predictions take account of it.
  Finding measured(const Tuning& tuning, Index rounds, Progress& progress);

 private:
  /// Returns the predicted seconds of each matrix.
  std::vector<double> predicted(const Tuning& tuning);

  const Workbench& bench_;
  std::vector<std::string> names_;  ///< on the command line
  std::vector<Matrix> matrices_;
  std::vector<TuningProblem> problems_;
};

}  // namespace espalier::internal
