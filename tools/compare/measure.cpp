// SPDX-License-Identifier: BSD-3-Clause
#include "compare/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "base/caught_error.hpp"
#include "base/readable.hpp"
#include "chart/trace.hpp"
#include "cli/failure.hpp"
#include "cli/tuning.hpp"
#include "espalier/espalier.hpp"
#include "launch/environment.hpp"
#include "perfmodels/cost_model.hpp"
#include "solver/analysis.hpp"

namespace espalier::internal {

namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void inaccurate(const std::string& matrix, const std::string& policy, double error) {
  throw InaccurateSolution(fmt::format(
      "the backward error of the solution of {} with the policy {} is {:.2g}, above {:.0e}; check "
      "the scaling of the matrix",
      matrix, policy, error, accepted_error));
}

void keep_faster(Schedule schedule, PolicyRuns& policy) {
  const bool first = policy.fastest.tasks.empty();
  if (first || schedule.seconds < policy.fastest.seconds) policy.fastest = std::move(schedule);
}

/// The rounds of one matrix in this process.
class OwnRounds {
 public:
  OwnRounds(const std::string& matrix, const RunPlace& place, const MeasureOptions& options)
      : matrix_(load_to_measure(matrix)),
        options_(options),
        workers_(expected_workers(place.workers)),
        b_(matrix_.multiply(std::vector<double>(matrix_.size(), 1.0))) {}

  /// Starts StarPU with the policy and appends the runs of one round.
  void run(PolicyRuns& policy, Index round) {
    const Options options = options_of(policy.choice);
    const Analysis& analysis = analysis_for(policy.choice, options.analysis);
    prepare_starpu_environment(policy.choice.name, workers_);
    const Runtime runtime(options.runtime);
    policy.active = runtime.scheduler();
    Factor factor(runtime, analysis, options.factor);
    for (Index k = 0; k < warming_runs; ++k) factorize(factor);
    for (Index k = 0; k < timed_runs; ++k) {
      factorize(factor);
      Schedule schedule = factor.schedule();
      policy.runs.push_back(timed_run(schedule, round));
      keep_faster(std::move(schedule), policy);
    }
    const double error = factor.solve(b_).backward_error;
    if (!(error <= accepted_error)) inaccurate(matrix_.name(), policy.choice.label, error);
    policy.backward_error = std::max(policy.backward_error, error);
    if (policy.report.is_null()) policy.report = Json::parse(to_json(factor.report()));
  }

 private:
  Options options_of(const PolicyChoice& choice) const {
    Options options = options_;
    choice.set_in(options);
    options.analysis.workers = workers_;
    options.runtime.workers = workers_;
    return options;
  }

  /// Returns the analysis of the configuration of a choice. Choices without one share theirs.
  const Analysis& analysis_for(const PolicyChoice& choice, const AnalysisOptions& options) {
    const auto known = analysis_.find(choice.configuration);
    if (known != analysis_.end()) return known->second;
    const TuningChoice tuning = chosen_tuning(options_.tuning, {workers_});
    return analysis_
        .emplace(choice.configuration, analyze_with(tuning, read_host_costs(), matrix_, options))
        .first->second;
  }

  void factorize(Factor& factor) {
    const FactorStatus status = factor.factorize(matrix_);
    if (!status.ok()) throw NotPositiveDefinite(matrix_.name(), status.bad_column);
  }

  Matrix matrix_;
  const MeasureOptions& options_;
  Index workers_;
  std::map<std::string, Analysis> analysis_;  ///< by the names of configurations
  std::vector<double> b_;
};

/// The rounds of one matrix in other processes.
class ProgramRounds {
 public:
  ProgramRounds(const std::string& matrix, const RunPlace& place, const MeasureOptions& options)
      : case_{matrix, "", place.ranks, place.workers, place.devices, options.words},
        mode_{"", place.has_cuda, warming_runs + timed_runs, true} {}

  void run(PolicyRuns& policy, Index round) {
    case_.policy = policy.choice.label;
    const ProgramRun run = successful_run(case_, mode_);
    policy.active = run.report.at("scheduler").at("active");
    Schedule schedule = schedule_in(run.trace);
    const Json& tasks = run.report.at("tasks");
    TimedRun timed{round, 0, tasks.at("idle_share"), tasks.at("runtime_share")};
    for (const double seconds : timed_seconds(run)) {
      timed.seconds = seconds;
      policy.runs.push_back(timed);
    }
    keep_faster(std::move(schedule), policy);
    policy.backward_error =
        std::max<double>(policy.backward_error, run.report.at("solution").at("backward_error"));
    if (policy.report.is_null()) policy.report = run.report;
  }

 private:
  RunCase case_;
  RunMode mode_;
};

template <class Rounds>
Comparison measured(Rounds rounds, const std::string& matrix,
                    const std::vector<PolicyChoice>& policies, Index count, Progress& progress) {
  Comparison comparison;
  for (const PolicyChoice& choice : policies) {
    comparison.policies.push_back({choice, "", {}, 0, {}, {}});
  }
  progress.begin(matrix);
  const double runs = static_cast<double>(policies.size()) * count;
  for (Index round = 0; round < count; ++round) {
    progress.rename(fmt::format("{}: round {} of {}", matrix, round + 1, count));
    for (std::size_t k = 0; k < policies.size(); ++k) {
      rounds.run(comparison.policies[(round + k) % policies.size()], round);
      progress.done((static_cast<double>(policies.size()) * round + static_cast<double>(k) + 1) /
                    runs);
    }
  }
  return comparison;
}

}  // namespace

Comparison measure(const std::string& matrix, const RunPlace& place,
                   const std::vector<PolicyChoice>& policies, const MeasureOptions& options,
                   Progress& progress) {
  progress.begin("reading and analyzing " + matrix);
  if (place.is_this_process()) {
    return measured(OwnRounds(matrix, place, options), matrix, policies, options.rounds, progress);
  }
  return measured(ProgramRounds(matrix, place, options), matrix, policies, options.rounds,
                  progress);
}

namespace {

/// Throws UsageError if the run found no CUDA device. `solve` itself uses the devices that exist.
void expect_devices(const Json& machine, const RunPlace& place) {
  const Index found =
      place.has_cuda ? machine.at("cuda_workers") : machine.at("coprocessor_workers");
  if (place.devices == 0 || found > 0) return;
  throw UsageError("StarPU found no CUDA device on this machine; leave out --cuda-devices");
}

}  // namespace

ProgramRun successful_run(const RunCase& what, const RunMode& mode) {
  ProgramRun run = run_program(what, mode);
  const RunPlace place{what.ranks, what.workers, what.devices, mode.has_cuda};
  if (run.code != 0) {
    const auto known = static_cast<int>(ErrorCode::device);
    const auto code = run.code <= known ? static_cast<ErrorCode>(run.code) : ErrorCode::device;
    throw_error({code, failure_of_run(run.failure, what.matrix, what.policy, place)});
  }
  expect_devices(run.report.at("machine"), place);
  return run;
}

std::vector<double> timed_seconds(const ProgramRun& run) {
  std::vector<double> seconds = run.report.at("factor").at("runs");
  seconds.erase(seconds.begin(), seconds.begin() + warming_runs);
  return seconds;
}

std::string failure_of_run(const std::string& said, const std::string& matrix,
                           const std::string& policy, const RunPlace& place) {
  return fmt::format("{}: {} with {}, by {}; for more, run espalier solve with the same options",
                     said.substr(0, said.find("; ")), matrix, name_of(place), policy);
}

std::string name_of(const RunPlace& place) {
  std::string name = place.workers > 0 ? counted(place.workers, "CPU worker") : "all CPU workers";
  if (place.devices > 0) {
    name += " and " + counted(place.devices, place.has_cuda ? "CUDA device" : "coprocessor");
  }
  return place.ranks == 1 ? name : counted(place.ranks, "rank") + " with " + name + " each";
}

}  // namespace espalier::internal
