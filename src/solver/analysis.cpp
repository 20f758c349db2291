// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/option_checks.hpp"
#include "mapping/entry_cost.hpp"
#include "ordering/ordering.hpp"
#include "perfmodels/cost_choice.hpp"
#include "solver/data.hpp"
#include "solver/factor_report.hpp"
#include "solver/plan.hpp"
#include "symbolic/column_counts.hpp"

namespace espalier {

namespace {

/// An ordering and, where it was chosen by them, its column counts.
struct CountedOrdering {
  Ordering ordering;
  std::optional<CountedOrder> counted;
};

CountedOrdering ordered(const CompressedGraph& graph, const AnalysisOptions& options,
                        Index workers) {
  std::optional<CountedOrder> counted;
  std::vector<Index> counted_for;
  OrderingRequest request;
  request.method = options.ordering;
  request.factorizations = options.factorizations;
  request.workers = workers;
  request.predict = [&](const CompressedGraph& compressed, const Permutation& permutation) {
    counted.reset();  // before there is another one: they are as large as the graph
    counted = counted_order(compressed, permutation, workers);
    counted_for = permutation.old_of;
    return factorization_cost(*counted);
  };
  Ordering ordering = order(graph, request);
  if (counted_for != ordering.permutation.old_of) counted.reset();
  return {std::move(ordering), std::move(counted)};
}

SymbolicFactor structure_of(const CompressedGraph& graph, CountedOrdering counted,
                            const SymbolicOptions& options) {
  const Permutation& permutation = counted.ordering.permutation;
  if (!counted.counted) return symbolic_factorization(graph, permutation, options);
  return symbolic_factorization(graph, permutation, std::move(*counted.counted), options);
}

FactorPlan default_plan(const Analysis::Data& analysis) {
  return plan_factorization(analysis.symbolic, analysis.workers, FactorOptions{}, analysis.cost);
}

}  // namespace

Analysis::Analysis(const Matrix& matrix, const AnalysisOptions& options) {
  validate(options);
  auto data = std::make_shared<Data>();
  data->pattern = matrix.data().pattern;
  data->workers = options.workers > 0
                      ? options.workers
                      : std::max<Index>(1, static_cast<Index>(std::thread::hardware_concurrency()));
  Stopwatch watch;
  const CompressedGraph graph = graph_to_order(*data->pattern, options.ordering);
  CountedOrdering ordering = ordered(graph, options, data->workers);
  Report& report = data->report;
  report.ordering = {ordering.ordering.method, watch.restart()};
  report.memory.phases = matrix.data().memory;
  note_peak(report.memory.phases, "ordering");
  data->symbolic = structure_of(
      graph, std::move(ordering),
      {options.amalgamation, options.panel_width, options.refine_partition, data->workers});
  data->cost =
      cost_for(*data->pattern, data->symbolic.permutation.old_of, this_machines_costs().table);
  report.symbolic.seconds = watch.seconds();
  note_peak(report.memory.phases, "symbolic");
  report.models = {this_machines_costs().source, this_machines_costs().file};
  report.matrix.name = matrix.name();
  report.matrix.n = matrix.size();
  report.matrix.nnz_lower = matrix.entries();
  report.matrix.duplicates_summed = matrix.data().duplicates_summed;
  report.matrix.mirrors_averaged = matrix.data().mirrors_averaged;
  const SymbolicFactor& symbolic = data->symbolic;
  report.symbolic.nnz_l = symbolic.nnz_l;
  report.symbolic.flops = symbolic.flops;
  report.symbolic.supernodes = symbolic.supernodes();
  report.symbolic.blocks = static_cast<Count>(symbolic.block.size());
  report.memory.factor_bytes = symbolic.factor_bytes();
  data_ = std::move(data);
}

Index Analysis::size() const { return data_->symbolic.n; }
Count Analysis::factor_entries() const { return data_->symbolic.nnz_l; }
double Analysis::flops() const { return data_->symbolic.flops; }

Report Analysis::report() const {
  Report report = data_->report;
  describe_plan(data_->symbolic, default_plan(*data_), data_->pattern->entries(), report);
  return report;
}

namespace {

void count_in(std::vector<Count>& histogram, std::size_t bin) {
  if (histogram.size() <= bin) histogram.resize(bin + 1, 0);
  ++histogram[bin];
}

}  // namespace

std::vector<Count> Analysis::supernode_width_histogram() const {
  std::vector<Count> histogram;
  const auto& begin = data_->symbolic.supernode_begin;
  for (std::size_t s = 1; s < begin.size(); ++s) {
    count_in(histogram, static_cast<std::size_t>(std::ceil(std::log2(begin[s] - begin[s - 1]))));
  }
  return histogram;
}

std::vector<Count> Analysis::task_time_histogram() const {
  std::vector<Count> histogram;
  for (const Task& task : default_plan(*data_).graph.task) {
    const double decade = std::floor(std::log10(task.seconds * 1e6)) + 1;
    count_in(histogram, static_cast<std::size_t>(std::max(decade, 0.0)));
  }
  return histogram;
}

}  // namespace espalier
