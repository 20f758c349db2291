// SPDX-License-Identifier: BSD-3-Clause
#include "solver/automatic_factorization.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/clock.hpp"
#include "ordering/ordering.hpp"
#include "ordering/predecessors.hpp"
#include "perfmodels/phase_watch.hpp"
#include "scaling/weighted_matching.hpp"
#include "solver/analysis.hpp"
#include "solver/matrix.hpp"

namespace espalier::internal {

namespace {

/// Orders merged columns again by the method of the analysis. If the user has fixed the order, by
/// a file or as numbered, or if all ranks have computed it, only moves the columns that are
/// related.
CountedOrdering ordered_again(const AnalysisData& known, const CompressedGraph& graph) {
  const std::string& method = known.report.ordering.method;
  if (method != "file" && method != "natural" && method != ptscotch) {
    AnalysisOptions options;
    options.ordering = method;
    return counted_ordering(graph, options, known.workers);
  }
  Permutation order = after_predecessors(graph, contract(graph, known.symbolic.permutation));
  return {{std::move(order), method}, std::nullopt};
}

/// Returns the analysis with pairs of columns and predecessors. An order without regard to them, or
/// one that only contracts the pairs, loses accuracy or adds much to L; the experiment `automatic`
/// compares them.
std::shared_ptr<const AnalysisData> in_order_of(MatchedColumns columns, const AnalysisData& known) {
  auto other = std::make_shared<AnalysisData>(known);
  Report& report = other->report;
  Stopwatch watch;
  const CompressedGraph graph =
      graph_to_order(*known.pattern, report.ordering.method, std::move(columns));
  report.analysis.matched_pairs = graph.matched.pairs();
  CountedOrdering ordering = ordered_again(known, graph);
  report.ordering.seconds += watch.seconds();
  other->tree = std::make_shared<const SeparatorTree>(separator_tree(graph, ordering.ordering));
  watch.restart();
  other->symbolic = structure_of(graph, std::move(ordering), known.structure, known.sizes_only);
  other->facts =
      facts_of(*known.pattern, other->symbolic.permutation.new_of, other->symbolic.nnz_l);
  describe_structure(*other);
  report.symbolic.seconds += watch.seconds();
  return other;
}

}  // namespace

std::shared_ptr<const AnalysisData> matched(const std::shared_ptr<const AnalysisData>& known,
                                            const Matrix& matrix) {
  if (known->report.analysis.matched_pairs >= 0) return known;
  const Stopwatch watch;
  MatchedColumns columns = matching_of(matrix);
  auto described = std::make_shared<AnalysisData>(*known);
  described->report.analysis.matched_pairs = columns.pairs();
  described->report.ordering.seconds += watch.seconds();
  if (!columns.relates_columns()) return described;
  return in_order_of(std::move(columns), *described);
}

void begin_with_llt(FactorState& state) {
  state.automatic = state.options.factorization == Factorization::automatic;
  if (state.automatic) state.options.factorization = Factorization::llt;
}

bool tries_llt(const FactorState& state) {
  return state.automatic && state.options.factorization == Factorization::llt;
}

bool has_bad_diagonal(const Matrix& matrix) {
  const MatrixData& data = Internals::data(matrix);
  return first_bad_diagonal(*data.pattern, data.value) < data.pattern->n;
}

FactorStatus factorize_by_steps(const FactorState& state, const Stopwatch& watch,
                                const FactorizationSteps& steps) {
  if (!tries_llt(state)) return steps.factorize(watch);
  double attempt_seconds = 0;
  if (!steps.has_bad_diagonal()) {
    const FactorStatus status = steps.factorize(watch);
    if (status.ok()) return status;
    attempt_seconds = watch.seconds();
  }
  steps.turn_to_ldlt(attempt_seconds);
  return steps.factorize(Stopwatch());
}

void turn_to_ldlt(FactorData& data, const Matrix& matrix, double attempt_seconds) {
  FactorState& state = data.state;
  const auto analysis = matched(data.analysis, matrix);
  PhaseWatch watch(state.options.record_work, analysis->workers);
  state.options.factorization = Factorization::ldlt;
  try {
    make_numeric(data, analysis);
  } catch (...) {
    state.options.factorization = Factorization::llt;
    throw;
  }
  state.setup.seconds += watch.end_phase().seconds;
  state.history.forget_runs();
  data.attempt_seconds = attempt_seconds;
}

}  // namespace espalier::internal
