// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "espalier/report.hpp"
#include "espalier/schedule.hpp"
#include "schedulers/own_policies.hpp"

namespace espalier::internal {

/// A policy to compare, with its options.
struct PolicyChoice {
  std::string label;                 ///< as the user wrote it
  std::string name;                  ///< for StarPU
  std::vector<std::string> options;  ///< "key=value"
};

/// Returns what is compared where the user names no policies: all own ones, and those of StarPU's
/// that are most in use.
std::string default_policies();

/// Reads "NAME,NAME:KEY=VALUE:KEY=VALUE,...", where "own" stands for all of Espalier's policies and
/// "all" for StarPU's, too; with devices these include what needs some. Throws
/// UsageError for an empty or repeated entry, or a wrong option; UnknownScheduler for an unknown
/// name.
std::vector<PolicyChoice> parse_policies(std::string_view text, bool devices = devices_expected());

/// What policies run on.
struct RunPlace {
  Index ranks = 1;
  Index workers = 0;      ///< CPU workers of each rank; 0: what `solve` takes
  Index devices = 0;      ///< of each rank
  bool has_cuda = false;  ///< they are CUDA devices, else coprocessors

  /// Says whether this process alone can be it, and another one after that.
  bool is_this_process() const { return ranks == 1 && devices == 0; }
};

/// One timed factorization.
struct TimedRun {
  Index round = 0;
  double seconds = 0;
  /// Parts of the workers' time, as in Report::tasks; of ranks and with devices those of the
  /// fastest run of the round.
  double idle_share = 0;
  double runtime_share = 0;
};

/// What a policy did on one matrix.
struct PolicyRuns {
  PolicyChoice choice;
  std::string active;  ///< the policy that StarPU said it ran, in every round
  std::vector<TimedRun> runs;
  double backward_error = 0;  ///< the largest of all rounds
  Schedule fastest;           ///< of ranks and with devices that of the fastest last run of a round
};

/// All policies on one matrix and one place.
// NOLINTNEXTLINE(bugprone-exception-escape): a move of JSON throws nothing
struct Comparison {
  nlohmann::ordered_json report;  ///< that of the first policy's first round
  std::vector<PolicyRuns> policies;
  std::string baseline{};  ///< the label of one of them, or empty
};

/// What the table says of a policy: medians over its runs.
struct Figures {
  double seconds = 0;
  double spread = 0;  ///< (slowest - fastest) / median
  double ratio = 0;   ///< median over the smallest one of all policies
  double to_baseline = std::numeric_limits<double>::quiet_NaN();  ///< median over the baseline's
  double idle_share = 0;
  double runtime_share = 0;
  double bound_ratio = 0;  ///< median over bound_seconds() of the fastest run
};

/// Returns the middle one, or the mean of the two in the middle. There must be a value.
double median(std::vector<double> values);

/// Returns the longer one of the critical path and work / workers, both predicted: no schedule of
/// these tasks would be shorter if the predictions were exact.
double bound_seconds(const Schedule& schedule);

TimedRun timed_run(const Schedule& schedule, Index round);

/// Returns the median of the baseline's runs, NaN where there is no baseline.
double baseline_seconds(const Comparison& comparison);

/// Returns the figures in the order of the policies, each of which has run.
std::vector<Figures> figures_of(const Comparison& comparison);

}  // namespace espalier::internal
