// SPDX-License-Identifier: BSD-3-Clause

#include "calibrate/tuning_problem.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/cost_table.hpp"
#include "calibrate/supernode_model.hpp"
#include "mapping/kernel_cost.hpp"
#include "ordering/automatic.hpp"
#include "plan/makespan.hpp"
#include "plan/plan.hpp"
#include "solver/analysis.hpp"
#include "solver/data.hpp"

namespace espalier::internal {

namespace {

/// Number of entries of L in the history: the same for all tunings of a problem.
constexpr double one_size = 1;

bool same(const AmalgamationOptions& a, const AmalgamationOptions& b) {
  return a.widths == b.widths && a.zeros == b.zeros;
}

}  // namespace

struct TuningProblem::Data {
  /// The structure for some limits of amalgamation, and the costs of its kernels.
  struct Amalgamated {
    AmalgamationOptions limits;
    SymbolicFactor symbolic;
    KernelCost cost;
  };

  std::shared_ptr<const SharedPattern> pattern;
  Costs costs;
  CompressedGraph own_graph;  ///< used if the caller has no graph
  const CompressedGraph* graph = &own_graph;
  Permutation ordering;
  CountedOrder counted;
  TaskHistory measured;  ///< ratios of measured to predicted times
  Index workers = 1;
  Index threads = 1;
  bool refine_partition = true;
  FactorOptions factor;
  std::vector<Amalgamated> last;  ///< at most two; the last used one comes first

  void take(const Matrix& matrix, const AnalysisOptions& options, CountedOrdering ordered) {
    pattern = Internals::data(matrix).pattern;
    ordering = std::move(ordered.ordering.permutation);
    counted = ordered.counted ? std::move(*ordered.counted)
                              : counted_order(*graph, ordering, options.workers);
    workers = options.workers;
    refine_partition = options.refine_partition;
  }

  SymbolicOptions symbolic_options(const Tuning& tuning) const {
    return {.amalgamation = tuning.amalgamation,
            .panel_width = tuning.panel_width,
            .refine_partition = refine_partition,
            .workers = threads,
            .narrow_panel_width = tuning.narrow_panel_width,
            .factor_workers = workers};
  }

  const Amalgamated& amalgamated(const Tuning& tuning) {
    const SymbolicOptions options = symbolic_options(tuning);
    const auto known = std::find_if(last.begin(), last.end(), [&](const Amalgamated& one) {
      return same(one.limits, tuning.amalgamation);
    });
    if (known != last.end()) {
      std::rotate(last.begin(), known, known + 1);
      split_into_panels(last.front().symbolic, options);
      return last.front();
    }
    if (last.size() == 2) last.pop_back();
    SymbolicFactor symbolic = symbolic_factorization(*graph, ordering, counted, options);
    KernelCost cost =
        cost_for(facts_of(*pattern, symbolic.permutation.new_of, symbolic.nnz_l), costs);
    last.insert(last.begin(), {tuning.amalgamation, std::move(symbolic), std::move(cost)});
    return last.front();
  }
};

TuningProblem::TuningProblem(const Matrix& matrix, const AnalysisOptions& options, Costs costs,
                             Index threads)
    : data_(new Data) {
  Data& data = *data_;
  data.costs = std::move(costs);
  data.own_graph = graph_to_order(*Internals::data(matrix).pattern, options.ordering,
                                  options.matching ? matching_of(matrix) : MatchedColumns{});
  data.take(matrix, options, counted_ordering(data.own_graph, options, options.workers));
  data.threads = threads;
}

TuningProblem::TuningProblem(const Matrix& matrix, const AnalysisOptions& options, Costs costs,
                             const CompressedGraph& graph, const CountedOrdering& ordering,
                             const FactorOptions& factor)
    : data_(new Data) {
  data_->costs = std::move(costs);
  data_->graph = &graph;
  data_->take(matrix, options, ordering);
  data_->threads = options.workers;
  data_->factor = factor;
}

TuningProblem::~TuningProblem() = default;
TuningProblem::TuningProblem(TuningProblem&&) noexcept = default;
TuningProblem& TuningProblem::operator=(TuningProblem&&) noexcept = default;

double TuningProblem::predicted_seconds(const Tuning& tuning) {
  const FactorOptions options = tuned(data_->factor, tuning);
  const auto& amalgamated = data_->amalgamated(tuning);
  FactorPlan plan =
      plan_factorization(amalgamated.symbolic,
                         {.workers = data_->workers, .options = options, .cost = amalgamated.cost});
  if (data_->measured.empty()) return plan.predicted_seconds;
  for (Task& task : plan.graph.task) {
    task.seconds *= data_->measured.factor({task.kind, task.flops, task.seconds, one_size});
  }
  return predicted_makespan(plan.graph, data_->workers, amalgamated.cost.overhead());
}

/// An evaluation takes about as long as a minimum degree ordering.
double TuningProblem::factorizations_per_evaluation() const {
  const auto neighbours = static_cast<Count>(data_->graph->graph.neighbour.size());
  return minimum_degree_seconds(neighbours) * data_->workers /
         factor_seconds(factorization_cost(data_->counted));
}

double TuningProblem::paper_objective(const Tuning& tuning) const {
  const KernelCost cost{.measured = data_->costs};
  const double entries = factorization_cost(data_->counted).entries;
  return SupernodeModel(data_->pattern->n, entries, data_->workers, cost).objective(tuning);
}

void TuningProblem::learn(std::span<const TaskRun> runs) {
  for (const TaskRun& run : runs) {
    const double seconds = run.end - run.begin;
    data_->measured.add({kind_named(run.kind), run.flops, run.predicted_seconds, one_size},
                        seconds / run.predicted_seconds);
  }
}

}  // namespace espalier::internal
