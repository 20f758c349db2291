// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/bindings.hpp"
#include "espalier/report.hpp"
#include "espalier/schedule.hpp"
#include "schedulers/own_policies.hpp"

namespace espalier::internal {

/// A policy to compare, with its options, or the configuration of a paper.
struct PolicyChoice {
  std::string label;                 ///< as written by the user
  std::string name;                  ///< name of the policy for StarPU
  std::vector<std::string> options;  ///< "key=value"
  std::string configuration{};       ///< name of the configuration; empty if there is none

  /// Sets the policy or the configuration in the options of a run. Options that the user has set
  /// before have precedence over the configuration.
  void set_in(Options& run) const;
  /// Returns the same as words of the command line of `solve`.
  std::vector<std::string> words() const;
};

/// Returns the value of --sched if the user names no policies: all policies of Espalier, and the
/// most common ones of StarPU.
std::string default_policies();

/// Reads "NAME,NAME:KEY=VALUE:KEY=VALUE,...". "as=NAME" is the configuration of a paper. "own"
/// stands for all policies of Espalier, and "all" also includes those of StarPU. With `devices`
/// these include policies that need devices. Throws UsageError for an empty or repeated entry or a
/// wrong option, and UnknownScheduler for an unknown name.
std::vector<PolicyChoice> parse_policies(std::string_view text, bool devices = devices_expected());

/// The ranks, workers and devices that policies run on.
struct RunPlace {
  Index ranks = 1;
  Index workers = 0;      ///< CPU workers of each rank; 0: the default of `solve`
  Index devices = 0;      ///< devices of each rank
  bool has_cuda = false;  ///< whether the devices are CUDA devices instead of coprocessors

  /// Returns whether this process can run the policies itself. If not, they run in other processes.
  bool is_this_process() const { return ranks == 1 && devices == 0; }
};

/// One timed factorization.
struct TimedRun {
  Index round = 0;
  double seconds = 0;
  /// Shares of the workers' time, as in Report::tasks. With ranks or devices: those of the fastest
  /// run of the round.
  double idle_share = 0;
  double runtime_share = 0;
};

/// The runs of a policy on one matrix.
// NOLINTNEXTLINE(bugprone-exception-escape): a move of JSON throws nothing
struct PolicyRuns {
  PolicyChoice choice;
  std::string active;  ///< the policy that StarPU reported, the same in every round
  std::vector<TimedRun> runs;
  double backward_error = 0;        ///< maximum over all rounds
  Schedule fastest;                 ///< with ranks or devices: of the fastest last run of a round
  nlohmann::ordered_json report{};  ///< report of the first round
};

/// All policies on one matrix and one place.
// NOLINTNEXTLINE(bugprone-exception-escape): a move of JSON throws nothing
struct Comparison {
  std::vector<PolicyRuns> policies;
  std::string baseline{};  ///< the label of one policy, or empty

  /// Returns the report of the first round of the first policy. There must be a policy.
  const nlohmann::ordered_json& report() const { return policies.front().report; }
};

/// A row of the table: medians over the runs of a policy.
struct Figures {
  double seconds = 0;
  double spread = 0;  ///< (slowest - fastest) / median
  double ratio = 0;   ///< median over the smallest median of all policies
  /// Median over the median of the baseline.
  double to_baseline = std::numeric_limits<double>::quiet_NaN();
  double idle_share = 0;
  double runtime_share = 0;
  double bound_ratio = 0;  ///< median over bound_seconds() of the fastest run
};

/// Returns the median: the value in the middle, or the average of the two in the middle. `values`
/// must not be empty.
double median(std::vector<double> values);

/// Returns the larger one of critical path and work / workers, both predicted. If the predictions
/// were exact, this would be a lower bound for every schedule of these tasks.
double bound_seconds(const Schedule& schedule);

TimedRun timed_run(const Schedule& schedule, Index round);

/// Returns the median of the baseline's runs, or NaN if there is no baseline.
double baseline_seconds(const Comparison& comparison);

/// Returns the figures in the order of the policies. Each policy must have a run.
std::vector<Figures> figures_of(const Comparison& comparison);

}  // namespace espalier::internal
