// SPDX-License-Identifier: BSD-3-Clause

#include "solver/analysis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/memory.hpp"
#include "base/options.hpp"
#include "espalier/error.hpp"
#include "mapping/kernel_cost.hpp"
#include "matrix/output_file.hpp"
#include "ordering/changed_columns.hpp"
#include "ordering/dissection/reuse.hpp"
#include "ordering/ordering_file.hpp"
#include "ordering/predecessors.hpp"
#include "ordering/separator_tree.hpp"
#include "perfmodels/cost_model.hpp"
#include "plan/plan.hpp"
#include "report/factor_report.hpp"

namespace espalier::internal {

CountedOrdering counted_ordering(const CompressedGraph& graph, const AnalysisOptions& options,
                                 Index workers) {
  std::optional<CountedOrder> counted;
  std::vector<Index> counted_for;
  OrderingRequest request;
  request.method = options.ordering;
  request.factorizations = options.factorizations;
  request.workers = workers;
  request.predict = [&](const CompressedGraph& compressed, const Permutation& permutation) {
    counted.reset();  // frees the old counts first, because they are as large as the graph
    counted = counted_order(compressed, permutation, workers);
    counted_for = permutation.old_of;
    return factorization_cost(*counted);
  };
  Ordering ordering = order(graph, request);
  if (counted_for != ordering.permutation.old_of) counted.reset();
  return {std::move(ordering), std::move(counted)};
}

void expect_rows(const AnalysisData& analysis) {
  if (!analysis.sizes_only) return;
  throw UsageError(
      "the analysis is for several ranks, which compute the rows of L later; analyze the matrix "
      "without ranks for a factorization in one process");
}

void count_columns(const CompressedGraph& graph, CountedOrdering& ordering, Index workers) {
  if (ordering.counted) return;
  ordering.counted = counted_order(graph, ordering.ordering.permutation, workers);
}

SymbolicFactor structure_of(const CompressedGraph& graph, CountedOrdering counted,
                            const SymbolicOptions& options, bool sizes_only) {
  count_columns(graph, counted, options.workers);
  const Permutation& permutation = counted.ordering.permutation;
  if (sizes_only) return symbolic_sizes(graph, permutation, *counted.counted, options);
  return symbolic_factorization(graph, permutation, std::move(*counted.counted), options);
}

namespace {

/// Returns the memory of a matching, in bytes: both triangles as rows and costs, and the lists of
/// the search.
Count matching_bytes(Index columns, Count entries) {
  return columns * Count{80} + entries * Count{32};
}

}  // namespace

MatchedColumns matching_of(const Matrix& matrix) {
  const MatrixData& data = Internals::data(matrix);
  if (std::ssize(data.value) != data.pattern->entries()) {
    throw UsageError(
        "matching pairs columns by their values, but the matrix has only a pattern; load it with "
        "its values, or leave out matching");
  }
  const SparseMatrixView view(*data.pattern, data.value);
  check_values(view);
  expect_available("the matching", matching_bytes(matrix.size(), matrix.entries()));
  return weighted_matching(view);
}

namespace {

void count_in(std::vector<Count>& histogram, std::size_t bin) {
  if (histogram.size() <= bin) histogram.resize(bin + 1, 0);
  ++histogram[bin];
}

/// Returns a low estimate of the memory of an analysis, in bytes. The formula was fitted to grids,
/// meshes, bands and chains on one and on two threads. It gives a tenth less than most of them
/// need. Later phases need more.
Count analysis_bytes(Index columns, Count entries, Index workers) {
  return workers == 1 ? columns * Count{100} + entries * Count{14}
                      : columns * Count{125} + entries * Count{18};
}

/// Returns the tuning for empty options: the tuning of this machine if the options ask for it, else
/// the defaults.
TuningChoice own_tuning(const AnalysisOptions& options, Index workers) {
  return options.tuned ? this_machines_tuning({workers}) : TuningChoice{};
}

void describe_panels(AnalysisData& analysis) {
  analysis.report.symbolic.blocks = std::ssize(analysis.symbolic.block);
  analysis.report.memory.factor_bytes = analysis.symbolic.factor_bytes();
}

CostChoice costs_of(const AnalysisData& analysis) {
  return analysis.costs ? *analysis.costs : read_host_costs();
}

/// Returns the options of a factorization that follow from the options of the analysis.
FactorOptions options_of(const AnalysisData& analysis) {
  return {.granularity = analysis.report.configuration.granularity};
}

/// Throws UsageError unless the numbers are those of columns of the previous matrix, each at most
/// once, or -1.
void expect_numbers(const PreviousAnalysis& previous, Index n) {
  const Index most = previous.analysis.pattern->n;
  if (previous.column.empty() && n == most) return;
  if (static_cast<Index>(previous.column.size()) != n) {
    throw UsageError(
        fmt::format("the matrix has {} columns, the previous one {}, and {} previous columns are "
                    "given; expected one for each column of the matrix",
                    n, most, previous.column.size()));
  }
  std::vector<char> seen(most, 0);
  for (Index j = 0; j < n; ++j) {
    const Index column = previous.column[j];
    if (column < -1 || column >= most || (column >= 0 && seen[column] != 0)) {
      throw UsageError(
          fmt::format("the previous column of column {} is {}; expected -1 or a number from 0 to "
                      "{} that occurs once",
                      j, column, most - 1));
    }
    if (column >= 0) seen[column] = 1;
  }
}

/// Maximum operations of a reused order, relative to those of the last order from scratch.
constexpr double most_flops = 1.25;

/// Returns whether a factorization takes many more operations than that of the last order from
/// scratch. Operations may grow with the square of the entries, as in meshes in space.
bool has_grown(const CountedOrder& counted, Count entries, const OrderedSize& ordered) {
  const double growth =
      static_cast<double>(entries) / static_cast<double>(std::max<Count>(1, ordered.entries));
  return factorization_cost(counted).flops > most_flops * ordered.flops * growth * growth;
}

}  // namespace

AnalysisDraft::AnalysisDraft(const Matrix& matrix, const AnalysisOptions& options,
                             const std::optional<TuningChoice>& given,
                             const std::optional<CostChoice>& costs)
    : data_(std::make_shared<AnalysisData>()), options_(options) {
  validate(options);
  data_->pattern = Internals::data(matrix).pattern;
  data_->workers =
      options.workers > 0
          ? options.workers
          : std::max<Index>(1, static_cast<Index>(std::thread::hardware_concurrency()));
  const TuningChoice tuning = given ? *given : own_tuning(options, data_->workers);
  data_->tuning = tuning.tuning;
  Report& report = data_->report;
  data_->costs = costs;
  report.tuning = {tuning.source, tuning.file};
  report.configuration = options.configuration;
  add_warning(tuning.warning, report);
  report.matrix.name = matrix.name();
  report.matrix.n = matrix.size();
  report.matrix.nnz_lower = matrix.entries();
  report.matrix.duplicates_summed = Internals::data(matrix).duplicates_summed;
  report.matrix.mirrors_averaged = Internals::data(matrix).mirrors_averaged;
  report.matrix.diagonal_added = Internals::data(matrix).diagonal_added;
  report.memory.phases = Internals::data(matrix).memory;
  watch_.emplace(options.record_work, data_->workers);
  expect_available("the analysis", analysis_bytes(matrix.size(), matrix.entries(), data_->workers));
  MatchedColumns matched;
  if (options.matching) matched = matching_of(matrix);
  graph_ = graph_to_order(*data_->pattern, options.ordering, std::move(matched), data_->workers);
  if (options.matching) report.analysis.matched_pairs = graph_.matched.pairs();
}

CountedOrdering AnalysisDraft::order() const {
  return counted_ordering(graph_, options_, data_->workers);
}

CountedOrdering AnalysisDraft::order(const PreviousAnalysis& previous) const {
  expect_numbers(previous, data_->pattern->n);
  std::optional<CountedOrdering> known = reused(previous);
  return known ? std::move(*known) : order();
}

std::optional<CountedOrdering> AnalysisDraft::reused(const PreviousAnalysis& previous) const {
  SeparatorTree tree = *previous.analysis.tree;
  const bool has_parts = !tree.part.empty();
  if (merges_columns(options_.ordering) != has_parts) return std::nullopt;
  if (!has_parts) tree.part = one_part(previous.analysis.pattern->n);
  std::optional<DissectedOrder> order =
      reused_order(graph_,
                   {tree, previous.column,
                    changed_columns(*data_->pattern, *previous.analysis.pattern, previous.column)},
                   data_->workers);
  if (!order) return std::nullopt;
  CountedOrdering result{{std::move(order->permutation), previous.analysis.report.ordering.method,
                          has_parts ? std::move(order->part) : std::vector<TreePart>{}},
                         {},
                         previous.analysis.ordered};
  move_after_predecessors(graph_, result.ordering);
  count_columns(graph_, result, data_->workers);
  if (has_grown(*result.counted, data_->pattern->entries(), *result.ordered)) return std::nullopt;
  return result;
}

void AnalysisDraft::tune(const CountedOrdering& ordering, const TuningSearch& search) {
  Report& report = data_->report;
  report.tune = search(ordering, data_->tuning);
  watch_->end_phase();  // the tuning report has the time of this phase
  if (report.tune.predicted_after < report.tune.predicted_before) report.tuning = {"searched", ""};
  for (const TuningParameter& parameter : planned_parameters()) {
    report.tune.parameters[std::string(parameter.name)] = parameter.of(data_->tuning);
  }
}

std::shared_ptr<const AnalysisData> AnalysisDraft::finish(CountedOrdering ordering,
                                                          std::optional<Index> ranks,
                                                          const TuningSearch& search) {
  Report& report = data_->report;
  PhaseTime time = watch_->end_phase();
  report.ordering = {ordering.ordering.method, time.seconds, time.work};
  note_peak(report.memory.phases, "ordering");
  if (search) tune(ordering, search);
  const AnalysisOptions options = completed(options_, data_->tuning);
  data_->sizes_only = ranks.has_value();
  count_columns(graph_, ordering, data_->workers);
  data_->tree = std::make_shared<const SeparatorTree>(separator_tree(graph_, ordering.ordering));
  data_->ordered = ordering.ordered.value_or(
      OrderedSize{data_->pattern->entries(), factorization_cost(*ordering.counted).flops});
  data_->structure = {.amalgamation = *options.amalgamation,
                      .panel_width = *options.panel_width,
                      .refine_partition = options.refine_partition,
                      .workers = data_->workers,
                      .narrow_panel_width = *options.narrow_panel_width,
                      .ranks = ranks.value_or(1),
                      .factor_workers = data_->workers * ranks.value_or(1)};
  data_->has_default_panels = !options_.panel_width && report.tuning.source == "defaults";
  data_->symbolic = structure_of(graph_, std::move(ordering), data_->structure, data_->sizes_only);
  data_->facts =
      facts_of(*data_->pattern, data_->symbolic.permutation.new_of, data_->symbolic.nnz_l);
  time = watch_->end_phase();
  report.symbolic.seconds = time.seconds;
  report.symbolic.work = time.work;
  note_peak(report.memory.phases, "symbolic");
  describe_structure(*data_);
  graph_ = {};
  return std::move(data_);
}

void describe_structure(AnalysisData& analysis) {
  const SymbolicFactor& symbolic = analysis.symbolic;
  Report& report = analysis.report;
  report.symbolic.nnz_l = symbolic.nnz_l;
  report.symbolic.flops = symbolic.flops;
  report.symbolic.supernodes = symbolic.supernodes();
  describe_panels(analysis);
}

std::shared_ptr<const AnalysisData> in_panels_of(Index width,
                                                 std::shared_ptr<const AnalysisData> analysis) {
  if (!analysis->has_default_panels || width == analysis->structure.panel_width) return analysis;
  const auto other = std::make_shared<AnalysisData>(*analysis);
  other->structure.panel_width = width;
  split_into_panels(other->symbolic, other->structure);
  describe_panels(*other);
  return other;
}

PredictedFactorization predicted(const AnalysisData& analysis, const FactorOptions& options) {
  expect_rows(analysis);
  const CostChoice costs = costs_of(analysis);
  return {costs,
          plan_factorization(analysis.symbolic, {.workers = analysis.workers,
                                                 .options = tuned(options, analysis.tuning),
                                                 .cost = cost_for(analysis.facts, costs.table)})};
}

Report report_of(const AnalysisData& analysis, const PredictedFactorization& factorization) {
  Report report = analysis.report;
  describe_costs(factorization.costs, report);
  describe_plan(analysis.symbolic, factorization.plan, analysis.pattern->entries(), report);
  return report;
}

std::vector<Count> task_time_histogram(const FactorPlan& plan) {
  std::vector<Count> histogram;
  for (const Task& task : plan.graph.task) {
    const double decade = std::floor(std::log10(task.seconds * 1e6)) + 1;
    count_in(histogram, static_cast<std::size_t>(std::max(decade, 0.0)));
  }
  return histogram;
}

Analysis analyze_with(const TuningChoice& tuning, const CostChoice& costs, const Matrix& matrix,
                      const AnalysisOptions& options) {
  AnalysisDraft draft(matrix, options, tuning, costs);
  return Internals::holding<Analysis>(draft.finish(draft.order()));
}

}  // namespace espalier::internal

namespace espalier {

using namespace internal;

Analysis::Analysis(const Matrix& matrix, const AnalysisOptions& options) {
  AnalysisDraft draft(matrix, options);
  data_ = draft.finish(draft.order());
}

Analysis::Analysis(const Matrix& matrix, const AnalysisOptions& options, const Analysis& previous,
                   std::span<const Index> previous_column) {
  AnalysisDraft draft(matrix, options);
  data_ = draft.finish(draft.order({*previous.data_, previous_column}));
}

Index Analysis::size() const { return data_->symbolic.n; }
Count Analysis::factor_entries() const { return data_->symbolic.nnz_l; }
double Analysis::flops() const { return data_->symbolic.flops; }

std::span<const Index> Analysis::permutation() const {
  expect_rows(*data_);
  return data_->symbolic.permutation.old_of;
}

const SeparatorTree& Analysis::separator_tree() const { return *data_->tree; }

void Analysis::save_ordering(const std::string& file) const {
  OutputFile output(file);
  write_ordering(output, *data_->tree);
  output.commit();
}

Report Analysis::report() const {
  if (!data_->sizes_only) return report_of(*data_, predicted(*data_, options_of(*data_)));
  Report report = data_->report;
  describe_costs(costs_of(*data_), report);
  return report;
}

std::vector<Count> Analysis::supernode_width_histogram() const {
  std::vector<Count> histogram;
  const auto& begin = data_->symbolic.supernode_begin;
  for (std::size_t s = 1; s < begin.size(); ++s) {
    count_in(histogram, static_cast<std::size_t>(std::ceil(std::log2(begin[s] - begin[s - 1]))));
  }
  return histogram;
}

std::vector<Count> Analysis::task_time_histogram() const {
  return internal::task_time_histogram(predicted(*data_, options_of(*data_)).plan);
}

}  // namespace espalier
