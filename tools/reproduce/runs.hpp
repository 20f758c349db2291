// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "cli/progress.hpp"
#include "compare/program_run.hpp"
#include "espalier/types.hpp"
#include "reproduce/value.hpp"

namespace espalier::internal {

/// The result of a case.
struct RunResult {
  std::vector<nlohmann::ordered_json> reports;  ///< one per round
  std::string failure;                          ///< reason of a failure; no reports then
};

/// No run starts any more, because the time limit is reached.
struct TimeLimitReached : std::exception {};

/// Settings of the runs. The first factorization of a run is not counted.
struct RunSettings : RunMode {
  Index rounds = 3;      ///< real runs of each case, which take turns with other cases
  Index time_limit = 0;  ///< no run starts after these seconds; 0: no limit
};

/// Runs cases in other processes, with this program or with other solvers, and stores the results.
class Runs {
 public:
  Runs(RunSettings settings, Progress& progress)
      : settings_(std::move(settings)), progress_(progress) {}

  /// Runs the cases that have not run yet, in rounds. The reason of a failure is stored, too.
  /// Throws RuntimeFailure if a process cannot be started, and TimeLimitReached before a run that
  /// would start after the time limit.
  void measure(std::span<const RunCase> cases);
  /// Returns the result of a case. Runs the case if it has not run yet.
  const RunResult& result(const RunCase& what);

  /// Returns a number of a case that `read` finds in a report, or a missing value after a failure.
  /// Numbers of simulated runs have no spread, unless `on_host` says that the simulator measured
  /// them on this machine.
  using Reader = std::function<double(const nlohmann::ordered_json& report)>;
  Value value(const RunCase& what, const Reader& read, bool on_host = false);

  /// Returns the reason of a failure if no case has succeeded, else an empty string.
  std::string failure_of_all() const;
  /// Returns how many runs failed, as a sentence with the first message, or an empty text.
  std::string failures() const;

  /// Returns the reports of all rounds so far, and takes them over later. Failed runs are left out.
  /// restore() throws nlohmann::json::exception if the JSON is not the result of stored().
  nlohmann::ordered_json stored() const;
  void restore(const nlohmann::ordered_json& stored);

  bool simulated() const { return settings_.simulated(); }
  const RunSettings& settings() const { return settings_; }

 private:
  void run_round(const RunCase& what, Index round);

  RunSettings settings_;
  Progress& progress_;
  Stopwatch watch_;
  std::map<RunCase, RunResult> done_;
};

}  // namespace espalier::internal
