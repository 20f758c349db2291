// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "cli/progress.hpp"
#include "compare/program_run.hpp"
#include "espalier/types.hpp"

namespace espalier::internal {

/// What a run of the program came to.
struct RunResult {
  double factor_seconds = 0;  ///< the median of its warm factorizations, or the simulated time
  double solve_seconds = 0;
  nlohmann::ordered_json report;
  std::string failure;  ///< why there is none; the times are NaN then
};

/// The first factorization of a run is not counted.
struct RunSettings : RunMode {
  Index rounds = 3;  ///< real runs of each case, which take turns with the others
};

/// Runs cases by this program itself, in processes of their own, and remembers what they came to.
class Runs {
 public:
  Runs(RunSettings settings, Progress& progress)
      : settings_(std::move(settings)), progress_(progress) {}

  /// Runs those of the cases that have not run, in rounds. A case that fails is remembered with its
  /// reason. Throws RuntimeFailure where no process can be started.
  void measure(std::span<const RunCase> cases);
  /// Returns what a case came to, which is run now where it has not been.
  const RunResult& result(const RunCase& what);

  /// Returns why a case failed where none has succeeded; empty otherwise.
  std::string failure_of_all() const;

  bool simulated() const { return settings_.simulated(); }
  const RunSettings& settings() const { return settings_; }

 private:
  RunResult run_once(const RunCase& what) const;

  RunSettings settings_;
  Progress& progress_;
  std::map<RunCase, RunResult> done_;
};

}  // namespace espalier::internal
