// SPDX-License-Identifier: BSD-3-Clause

#include "calibrate/timed_problem.hpp"

#include <span>
#include <utility>

#include "codelets/cpu/combined.hpp"
#include "matrix/load.hpp"
#include "solver/analysis.hpp"

namespace espalier::internal {

namespace {

/// Number of factorizations before the timed ones. They touch the memory for the first time.
constexpr int untimed = 2;

/// Returns the structure of L. Uses no Analysis, because an Analysis predicts with the table in
/// use. The measured table will replace that table.
SymbolicFactor structure_of(const PatternView& pattern, const std::string& ordering,
                            Index workers) {
  AnalysisOptions request;
  request.ordering = ordering;
  SymbolicOptions options;
  options.workers = workers;
  const CompressedGraph graph = graph_to_order(pattern, ordering);
  return structure_of(graph, counted_ordering(graph, request, workers), options);
}

}  // namespace

TimedProblem::TimedProblem(const std::string& problem, const std::string& ordering, Index workers,
                           std::shared_ptr<const CostTable> table)
    : matrix_(load_matrix(problem, Values::required).matrix),
      symbolic_(structure_of(matrix_.pattern, ordering, workers)),
      cost_(cost_for(facts_of(matrix_.pattern, symbolic_.permutation.new_of, symbolic_.nnz_l),
                     std::move(table))) {}

FactorPlan TimedProblem::plan(Index workers, const FactorOptions& options, bool accelerated) const {
  return plan_factorization(
      symbolic_,
      {.workers = workers, .options = options, .cost = cost_, .devices = {.present = accelerated}});
}

NumericFactor TimedProblem::factor(const StarpuInstance& starpu, FactorPlan plan) const {
  return NumericFactor(starpu, symbolic_, matrix_.pattern, std::move(plan), false, cost_);
}

std::vector<std::vector<double>> TimedProblem::seconds(NumericFactor& factor,
                                                       Index factorizations) const {
  factor.context().kernels = &cpu::kernels_for({}, cost_.switch_points());
  factor.context().times_devices = true;
  const std::span<const BoundTask> tasks = factor.factor_tasks();
  std::vector<std::vector<double>> seconds(tasks.size());
  for (Index run = 0; run < untimed + factorizations; ++run) {
    factor.submit_factorize(matrix_.value.data());
    factor.wait();
    if (run < untimed) continue;
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      seconds[t].push_back(tasks[t].record.end - tasks[t].record.begin);
    }
  }
  return seconds;
}

}  // namespace espalier::internal
