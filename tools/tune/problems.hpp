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

/// A tuning with its predicted and measured gains.
struct Finding {
  Tuning tuning;
  std::vector<MatrixGain> gains;
};

/// All matrices and their predicted times. Predictions are for one process with as many CPU workers
/// as all ranks and devices have workers.
class Problems {
 public:
  /// Reads and orders the matrices.
  Problems(std::vector<std::string> names, const Workbench& bench, Progress& progress);

  /// Returns the best tuning that a search finds for the predicted makespan, beginning with
  /// `start`. Returns nothing if it finds no better one.
  std::optional<Candidate> found(const Tuning& start, const SearchOptions& options,
                                 Progress& progress);
  /// Returns the tuning that the search and the model of swCholesky find.
  Candidate found_as_in_the_paper(const SearchOptions& options, Progress& progress) const;

  /// Measures the tuning. Returns its predicted and measured gains. Later predictions learn from
  /// the measured tasks.
  Finding measured(const Tuning& tuning, Index rounds, Progress& progress);

 private:
  /// Returns the predicted seconds of each matrix.
  std::vector<double> predicted(const Tuning& tuning);

  const Workbench& bench_;
  std::vector<std::string> names_;  ///< names on the command line
  std::vector<Matrix> matrices_;
  std::vector<TuningProblem> problems_;
};

}  // namespace espalier::internal
