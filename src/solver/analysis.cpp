// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/option_checks.hpp"
#include "mapping/entry_cost.hpp"
#include "perfmodels/cost_choice.hpp"
#include "perfmodels/tuning_choice.hpp"
#include "solver/counted_ordering.hpp"
#include "solver/data.hpp"
#include "solver/factor_report.hpp"
#include "solver/plan.hpp"

namespace espalier {

namespace {

SymbolicFactor structure_of(const CompressedGraph& graph, CountedOrdering counted,
                            const SymbolicOptions& options) {
  const Permutation& permutation = counted.ordering.permutation;
  if (!counted.counted) return symbolic_factorization(graph, permutation, options);
  return symbolic_factorization(graph, permutation, std::move(*counted.counted), options);
}

FactorPlan default_plan(const Analysis::Data& analysis) {
  return plan_factorization(analysis.symbolic, analysis.workers,
                            completed(FactorOptions{}, analysis.tuning), analysis.cost);
}

}  // namespace

Analysis::Analysis(const Matrix& matrix, const AnalysisOptions& options) {
  validate(options);
  auto data = std::make_shared<Data>();
  data->pattern = matrix.data().pattern;
  data->workers = options.workers > 0
                      ? options.workers
                      : std::max<Index>(1, static_cast<Index>(std::thread::hardware_concurrency()));
  const TuningChoice tuning = options.tuned ? this_machines_tuning(data->workers) : TuningChoice{};
  data->tuning = tuning.tuning;
  const AnalysisOptions complete = completed(options, data->tuning);
  Stopwatch watch;
  const CompressedGraph graph = graph_to_order(*data->pattern, options.ordering);
  CountedOrdering ordering = counted_ordering(graph, options, data->workers);
  Report& report = data->report;
  report.ordering = {ordering.ordering.method, watch.restart()};
  report.memory.phases = matrix.data().memory;
  note_peak(report.memory.phases, "ordering");
  data->symbolic =
      structure_of(graph, std::move(ordering),
                   {*complete.amalgamation, *complete.panel_width, options.refine_partition,
                    data->workers, *complete.narrow_panel_width});
  data->cost =
      cost_for(*data->pattern, data->symbolic.permutation.new_of, this_machines_costs().table);
  report.symbolic.seconds = watch.seconds();
  note_peak(report.memory.phases, "symbolic");
  report.models = {this_machines_costs().source, this_machines_costs().file};
  report.tuning = {tuning.source, tuning.file};
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
