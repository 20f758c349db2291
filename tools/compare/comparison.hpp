// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "espalier/report.hpp"
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
/// "all" for StarPU's, too, and with devices policies may be known that need some. Throws
/// UsageError for an empty or repeated entry, or a wrong option; UnknownScheduler for an unknown
/// name.
std::vector<PolicyChoice> parse_policies(std::string_view text, bool devices = devices_expected());

/// One timed factorization.
struct TimedRun {
  Index round = 0;
  double seconds = 0;
  double idle_share = 0;     ///< part of the workers' time, as in Report::tasks
  double runtime_share = 0;  ///< part of the workers' time, as in Report::tasks
};

/// What a policy did on one matrix.
struct PolicyRuns {
  PolicyChoice choice;
  std::string active;  ///< the policy that StarPU said it ran, in every round
  std::vector<TimedRun> runs;
  double backward_error = 0;  ///< the largest of all rounds
  Schedule fastest;
};

/// All policies on one matrix, with the same analysis.
struct Comparison {
  Report report;  ///< that of the first policy's first round
  std::vector<PolicyRuns> policies;
};

/// What the table says of a policy: medians over its runs.
struct Figures {
  double seconds = 0;
  double spread = 0;  ///< (slowest - fastest) / median
  double ratio = 0;   ///< median over the smallest one of all policies
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

/// Returns the figures in the order of the policies, each of which has run.
std::vector<Figures> figures_of(const Comparison& comparison);

}  // namespace espalier::internal
