// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <compare>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "cli/progress.hpp"
#include "espalier/types.hpp"

namespace espalier::internal {

/// A run of the program.
struct RunCase {
  std::string matrix{};
  std::string policy = "espalier";     ///< NAME or NAME:KEY=VALUE:KEY=VALUE
  Index ranks = 1;                     ///< nodes, where it is simulated
  Index workers = 1;                   ///< of each rank
  Index devices = 0;                   ///< of each rank
  std::vector<std::string> options{};  ///< more of them, that both `solve` and `simulate` have

  auto operator<=>(const RunCase&) const = default;
};

/// What it came to.
struct RunResult {
  double factor_seconds = 0;  ///< the median of its warm factorizations, or the simulated time
  double solve_seconds = 0;
  nlohmann::ordered_json report;
  std::string failure;  ///< why there is none; the times are NaN then
};

struct RunSettings {
  std::string machine;       ///< is simulated; empty: runs are real
  bool has_cuda = false;     ///< devices are CUDA devices, else coprocessors
  Index factorizations = 6;  ///< of a real run; the first one is not counted
  Index rounds = 3;          ///< real runs of each case, which take turns with the others
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

  bool simulated() const { return !settings_.machine.empty(); }
  const RunSettings& settings() const { return settings_; }

 private:
  std::vector<std::string> command(const RunCase& what, const std::string& report) const;
  RunResult run_once(const RunCase& what) const;

  RunSettings settings_;
  Progress& progress_;
  std::map<RunCase, RunResult> done_;
};

}  // namespace espalier::internal
