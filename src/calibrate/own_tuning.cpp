// SPDX-License-Identifier: BSD-3-Clause
#include "calibrate/own_tuning.hpp"

#include <optional>
#include <utility>

#include "base/clock.hpp"
#include "calibrate/tuning_problem.hpp"
#include "calibrate/tuning_search.hpp"
#include "solver/analysis.hpp"
#include "solver/data.hpp"

namespace espalier::internal {

namespace {

/// Improves the tuning; `watch` began with the search.
TuneReport improve(Tuning& tuning, TuningProblem& problem, const Stopwatch& watch) {
  TuneReport report;
  if (2 * problem.factorizations_a_look() > most_factorizations) return report;
  const double before = problem.predicted_seconds(tuning);
  const double look = watch.seconds();
  report.tunings = 1;
  report.predicted_before = report.predicted_after = before;
  const double left = most_factorizations * before - look;
  if (left > look) {
    const auto objective = [&](const Tuning& tried) {
      ++report.tunings;
      return problem.predicted_seconds(tried) / before;
    };
    const std::optional<Candidate> found =
        search(tuning, objective, {.seconds = left, .look_seconds = look}, [](double, double) {});
    if (found && found->objective <= 1 - least_predicted_gain) {
      tuning = found->tuning;
      report.predicted_after = before * found->objective;
    }
  }
  report.seconds = watch.seconds();
  return report;
}

}  // namespace

Analysis analyze_and_tune(const CostChoice& costs, const Matrix& matrix,
                          const AnalysisOptions& options, const FactorOptions& factor) {
  AnalysisDraft draft(matrix, options, std::nullopt, costs);
  CountedOrdering ordering = draft.order();
  const auto search = [&](const CountedOrdering& ordered, Tuning& tuning) {
    const Stopwatch watch;
    TuningProblem problem(matrix, options, costs.table, draft.graph(), ordered, factor);
    return improve(tuning, problem, watch);
  };
  return Internals::holding<Analysis>(draft.finish(std::move(ordering), std::nullopt, search));
}

}  // namespace espalier::internal
