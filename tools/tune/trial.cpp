// SPDX-License-Identifier: BSD-3-Clause

#include "tune/trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/clock.hpp"
#include "cli/failure.hpp"
#include "compare/comparison.hpp"
#include "compare/measure.hpp"

namespace espalier::internal {

namespace {

double mean(std::span<const MatrixGain> gains, double (MatrixGain::*gain)() const) {
  double sum = 0;
  for (const MatrixGain& one : gains) sum += (one.*gain)();
  return sum / static_cast<double>(gains.size());
}

}  // namespace

double predicted_gain(std::span<const MatrixGain> gains) {
  return mean(gains, &MatrixGain::predicted);
}

double measured_gain(std::span<const MatrixGain> gains) {
  return mean(gains, &MatrixGain::measured);
}

std::string objection(std::span<const MatrixGain> gains) {
  for (const MatrixGain& one : gains) {
    if (-one.measured() > most_loss) {
      return fmt::format("{} loses {:.1f} %", one.matrix, -100 * one.measured());
    }
  }
  const double gain = measured_gain(gains);
  if (gain < least_gain) return fmt::format("the measured gain is {:.1f} %", 100 * gain);
  return "";
}

bool better(std::span<const MatrixGain> gains, std::span<const MatrixGain> than) {
  const bool usable = objection(gains).empty();
  if (usable != objection(than).empty()) return usable;
  return measured_gain(gains) > measured_gain(than);
}

std::vector<MatrixGain> remeasured(std::vector<MatrixGain> gains,
                                   std::span<const MatrixGain> again) {
  for (std::size_t i = 0; i < gains.size(); ++i) {
    gains[i].measured_default = again[i].measured_default;
    gains[i].measured_tuned = again[i].measured_tuned;
  }
  return gains;
}

namespace {

/// Shorter factorizations are repeated in a round until they take about this long together.
constexpr double seconds_a_round = 5e-3;

Analysis analysis_with(const Tuning& tuning, const Runtime& runtime, const Matrix& matrix) {
  AnalysisOptions options;
  options.workers = runtime.cpu_workers();
  options.tuned = false;
  return Analysis(matrix, completed(options, tuning));
}

/// A matrix with a factor for some tuning.
class Competitor {
 public:
  Competitor(const Runtime& runtime, const Matrix& matrix, const Tuning& tuning,
             const FactorOptions& options)
      : matrix_(matrix),
        factor_(runtime, analysis_with(tuning, runtime, matrix), tuned(options, tuning)) {
    double seconds = 0;
    for (Index k = 0; k < warming_runs; ++k) seconds = factorize();
    runs_a_round_ = std::max<Index>(1, static_cast<Index>(std::lround(seconds_a_round / seconds)));
  }

  void run_round() {
    double seconds = 0;
    for (Index k = 0; k < runs_a_round_; ++k) seconds += factorize();
    seconds_.push_back(seconds / runs_a_round_);
    const std::vector<TaskRun> tasks = factor_.schedule().tasks;
    tasks_.insert(tasks_.end(), tasks.begin(), tasks.end());
  }

  double median_seconds() const { return median(seconds_); }
  const std::vector<TaskRun>& tasks() const { return tasks_; }

 private:
  double factorize() {
    const Stopwatch watch;
    const FactorStatus status = factor_.factorize(matrix_);
    if (!status.ok()) throw NotPositiveDefinite(matrix_.name(), status.bad_column);
    return watch.seconds();
  }

  const Matrix& matrix_;
  Factor factor_;
  Index runs_a_round_ = 1;
  std::vector<double> seconds_;
  std::vector<TaskRun> tasks_;  ///< tasks of the last factorization of each round
};

}  // namespace

Trial measure_tuning(const Runtime& runtime, const Matrix& matrix, const Tuning& tuning,
                     Index rounds, const FactorOptions& options) {
  Competitor with_defaults(runtime, matrix, Tuning{}, options);
  Competitor tuned(runtime, matrix, tuning, options);
  for (Index round = 0; round < rounds; ++round) {
    (round % 2 == 0 ? with_defaults : tuned).run_round();
    (round % 2 == 0 ? tuned : with_defaults).run_round();
  }
  Trial trial{with_defaults.median_seconds(), tuned.median_seconds(), with_defaults.tasks()};
  trial.tasks.insert(trial.tasks.end(), tuned.tasks().begin(), tuned.tasks().end());
  return trial;
}

}  // namespace espalier::internal
