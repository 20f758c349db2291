// SPDX-License-Identifier: BSD-3-Clause
#include "compare/measure.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/failure.hpp"
#include "espalier/espalier.hpp"
#include "launch/environment.hpp"

namespace espalier::internal {

namespace {

/// The rounds of one matrix.
class Rounds {
 public:
  Rounds(Matrix matrix, const MeasureOptions& options)
      : matrix_(std::move(matrix)),
        options_(options),
        analysis_(matrix_, options.analysis),
        b_(matrix_.multiply(std::vector<double>(matrix_.size(), 1.0))) {}

  /// Starts StarPU with the policy and adds the runs of a round to it.
  void run(PolicyRuns& policy, Index round) {
    prepare_starpu_environment(policy.choice.name);
    const Runtime runtime({options_.workers, policy.choice.name, policy.choice.options});
    policy.active = runtime.scheduler();
    Factor factor(runtime, analysis_, options_.factor);
    for (Index k = 0; k < warming_runs; ++k) factorize(factor);
    for (Index k = 0; k < timed_runs; ++k) {
      factorize(factor);
      take(factor.schedule(), policy, round);
    }
    const double error = factor.solve(b_).backward_error;
    if (!(error <= accepted_error)) {
      throw InaccurateSolution(fmt::format(
          "the backward error of the solution of {} with the policy {} is {:.2g}, above "
          "{:.0e}; check the scaling of the matrix",
          matrix_.name(), policy.choice.label, error, accepted_error));
    }
    policy.backward_error = std::max(policy.backward_error, error);
    if (report_.factor.runs.empty()) report_ = factor.report();
  }

  const Report& report() const { return report_; }

 private:
  void factorize(Factor& factor) {
    const FactorStatus status = factor.factorize(matrix_);
    if (!status.ok()) throw NotPositiveDefinite(matrix_.name(), status.bad_column);
  }

  static void take(Schedule schedule, PolicyRuns& policy, Index round) {
    policy.runs.push_back(timed_run(schedule, round));
    const bool first = policy.fastest.tasks.empty();
    if (first || schedule.seconds < policy.fastest.seconds) policy.fastest = std::move(schedule);
  }

  Matrix matrix_;
  const MeasureOptions& options_;
  Analysis analysis_;
  std::vector<double> b_;
  Report report_;
};

}  // namespace

Comparison measure(const std::string& matrix, const std::vector<PolicyChoice>& policies,
                   const MeasureOptions& options, Progress& progress) {
  progress.begin("reading and analyzing " + matrix);
  Rounds rounds(Matrix::load(matrix), options);
  Comparison comparison;
  for (const PolicyChoice& choice : policies)
    comparison.policies.push_back({choice, "", {}, 0, {}});
  const auto count = static_cast<Index>(policies.size());
  for (Index round = 0; round < options.rounds; ++round) {
    progress.begin(fmt::format("{}: round {} of {}", matrix, round + 1, options.rounds));
    for (Index k = 0; k < count; ++k) rounds.run(comparison.policies[(round + k) % count], round);
  }
  comparison.report = rounds.report();
  return comparison;
}

}  // namespace espalier::internal
