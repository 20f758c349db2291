// SPDX-License-Identifier: BSD-3-Clause
#include "calibrate/own_tuning.hpp"

#include <optional>
#include <utility>

#include "base/clock.hpp"
#include "calibrate/tuning_problem.hpp"
#include "calibrate/tuning_search.hpp"
#include "espalier/error.hpp"
#include "espalier/tuning.hpp"
#include "runtime/starpu/starpu_instance.hpp"
#include "solver/analysis.hpp"
#include "solver/data.hpp"

namespace espalier::internal {

namespace {

/// Improves the tuning. `watch` was started at the beginning of the search.
TuneReport improve(Tuning& tuning, TuningProblem& problem, const Stopwatch& watch) {
  TuneReport report;
  if (2 * problem.factorizations_per_evaluation() > most_factorizations) return report;
  const double before = problem.predicted_seconds(tuning);
  const double evaluation = watch.seconds();
  report.tunings = 1;
  report.predicted_before = report.predicted_after = before;
  const double left = most_factorizations * before - evaluation;
  if (left > evaluation) {
    const auto objective = [&](const Tuning& tried) {
      ++report.tunings;
      return problem.predicted_seconds(tried) / before;
    };
    const std::optional<Candidate> found =
        search(tuning, objective, {.seconds = left, .evaluation_seconds = evaluation},
               [](double, double) {});
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

namespace espalier {

using namespace internal;

namespace {

/// Throws UsageError unless the options leave a choice and the predictions apply to the
/// factorization.
void expect_tunable(const StarpuInstance& starpu, const AnalysisOptions& options,
                    const FactorOptions& factor) {
  if (options.panel_width || options.narrow_panel_width || options.amalgamation ||
      factor.subtrees_per_worker || factor.tile_rows) {
    throw UsageError(
        "analyze_and_tune() chooses the widths of panels, the limits of amalgamation, the rows of "
        "tiles and the subtrees of a worker itself; leave them empty");
  }
  if (factor.deterministic) {
    throw UsageError(
        "analyze_and_tune() searches with measured times, which a deterministic factor must not "
        "depend on; make an Analysis instead");
  }
  if (starpu.devices().workers > 0) {
    throw UsageError(
        "analyze_and_tune() predicts factorizations on CPU workers; leave out devices");
  }
}

}  // namespace

Analysis analyze_and_tune(const Runtime& runtime, const Matrix& matrix,
                          const AnalysisOptions& options, const FactorOptions& factor) {
  const StarpuInstance& starpu = *Internals::data(runtime).starpu;
  expect_tunable(starpu, options, factor);
  AnalysisOptions for_workers = options;
  for_workers.workers = starpu.cpu_workers();
  return internal::analyze_and_tune(starpu.costs().host, matrix, for_workers, factor);
}

}  // namespace espalier
