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

/// The result of a case.
struct RunResult {
  double factor_seconds = 0;  ///< median of its warm factorizations, or the simulated time
  double solve_seconds = 0;
  nlohmann::ordered_json report;
  std::string failure;  ///< reason of a failure; the times are NaN then
};

/// Settings of the runs. The first factorization of a run is not counted.
struct RunSettings : RunMode {
  Index rounds = 3;  ///< real runs of each case, which take turns with other cases
};

/// Runs cases with this program, in other processes, and stores the results.
class Runs {
 public:
  Runs(RunSettings settings, Progress& progress)
      : settings_(std::move(settings)), progress_(progress) {}

  /// Runs the cases that have not run yet, in rounds. The reason of a failure is stored, too.
  /// Throws RuntimeFailure if a process cannot be started.
  void measure(std::span<const RunCase> cases);
  /// Returns the result of a case. Runs the case if it has not run yet.
  const RunResult& result(const RunCase& what);

  /// Returns the reason of a failure if no case has succeeded, else an empty string.
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
