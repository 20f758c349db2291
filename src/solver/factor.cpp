// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <functional>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/memory.hpp"
#include "base/options.hpp"
#include "base/scalar.hpp"
#include "codelets/cpu/combined.hpp"
#include "graph/task_graph.hpp"
#include "matrix/sparse_matrix.hpp"
#include "perfmodels/phase_watch.hpp"
#include "plan/memory.hpp"
#include "report/factor_report.hpp"
#include "report/offload_report.hpp"
#include "report/width_report.hpp"
#include "runtime/starpu/devices.hpp"
#include "solver/analysis.hpp"
#include "solver/data.hpp"
#include "solver/factor_data.hpp"
#include "solver/matrix.hpp"
#include "solver/policy_needs.hpp"
#include "solver/refinement.hpp"

namespace espalier::internal {

namespace {

/// The times of so many fit in memory that is there from the start.
constexpr std::size_t usual_factorizations = 1024;

Count vector_bytes(const FactorData& data) { return scalar.bytes_of(data.analysis->symbolic.n); }

/// Returns what vectors of blocks of so many right-hand sides take beside those of one, of which
/// the prediction knows; the residuals of several are beside that of one.
Count block_vector_bytes(const FactorData& data, Index columns, Index vectors) {
  const Count more = Count{columns - 1} * vectors + (columns > 1 && vectors > 0 ? 1 : 0);
  return more * vector_bytes(data);
}

}  // namespace

void expect_factor(const FactorData& data) {
  if (data.factored) return;
  throw UsageError("there is no factor to solve with; call factorize() with success first");
}

Index block_columns(FactorData& data, Index count, const SolveMemory& memory) {
  NumericFactor& numeric = *data.numeric;
  const auto vectors_of = [&](Index columns) {
    return memory.held + block_vector_bytes(data, columns, memory.vectors);
  };
  const auto bytes_of = [&](Index columns) {
    return vectors_of(columns) + numeric.solves().bytes({count, columns, memory.part});
  };
  constexpr Count any = std::numeric_limits<Count>::max();
  const Count limit = data.memory_limit > 0 ? data.memory_limit - data.predicted_bytes : any;
  const Count kept = numeric.solves().kept_bytes();
  const auto left_by_machine = [&](Count enough) {
    return data.deterministic ? any : kept + available_memory(enough).bytes;
  };
  const auto fits = [&](Index columns) {
    const Count bytes = bytes_of(columns);
    return bytes <= limit && bytes <= left_by_machine(bytes);
  };
  const Index columns = columns_that_fit(std::min(count, most_columns), fits);
  const Count bytes = bytes_of(columns);
  if (bytes > 0) expect_memory(data.predicted_bytes + bytes, data.memory_limit);
  const Count vectors = vectors_of(columns);
  const Count room = std::min(limit, left_by_machine(bytes + kept)) - vectors;
  const Count taken = numeric.solves().make_room_for({count, columns, memory.part}, room);
  data.solve_bytes = std::max(data.solve_bytes, vectors + taken);
  return columns;
}

FactorStatus wait_for(FactorData& data) {
  const Index column = data.numeric->wait();
  data.bad_column = -1;
  const bool factored = std::exchange(data.factored, false);
  expect_devices_did_well(data.numeric->device_budget());
  if (column < 0) {
    data.factored = factored;
    return {};
  }
  // Whatever is not finite spoils the pivot of its row, or its own, so that none is overlooked.
  check_values({*data.analysis->pattern, data.matrix->value});
  data.bad_column = std::min(data.analysis->symbolic.permutation.old_of[column],
                             first_bad_diagonal(*data.analysis->pattern, data.matrix->value));
  return {data.bad_column};
}

namespace {

/// How many right-hand sides are solved for, how many at once, and how.
struct BlockedSolve {
  Index count;
  Index columns;
  const SolveOptions& options;
};

/// Memory for vectors of one block after the other, of which the last may be smaller.
class BlockMemory {
 public:
  explicit BlockMemory(Index n) : n_(n) {}

  std::span<double> of(Index columns) {
    const Count entries = Count{n_} * columns;
    if (memory_.size() != entries) {
      memory_ = Buffer();  // before the next one
      memory_ = Buffer(entries);
    }
    return memory_.span();
  }

 private:
  Index n_;
  Buffer memory_;
};

/// The right-hand sides of a block, and where its solutions go.
struct BlockVectors {
  std::span<const double> b;
  std::span<double> x;
};

/// Solves for one block after the other: begin(first, columns) returns its BlockVectors, and
/// end(first, x, error) is called when x has its solutions. The time is that of all blocks, the
/// error and the steps are the worst block's.
template <class Begin, class End>
Solution solve_blocks(Factor& factor, FactorData& data, const BlockedSolve& how, Begin begin,
                      End end) {
  const SparseMatrixView a(*data.analysis->pattern, data.matrix->value);
  data.numeric->recorder().reset_solve_tally();
  BlockMemory residuals(data.analysis->symbolic.n);
  Refined all;
  const auto solve_block = [&](Index first, Index columns) {
    const BlockVectors vectors = begin(first, columns);
    const auto solve = [&](std::span<const double> from, std::span<double> to) {
      data.numeric->submit_solve({from.data(), to.data(), columns});
      factor.wait();
    };
    const auto residual = [&](std::span<const double> of, std::span<double> r) {
      if (data.norm < 0) data.norm = norm_inf(a);
      return residual_error(a, data.norm, of, vectors.b, r, columns);
    };
    const auto error = [&](std::span<const double> of) {
      return residual_error(a, data.norm, of, vectors.b, columns);
    };
    const Refined refined = solve_refined(
        {vectors.b, vectors.x, columns > 1 ? residuals.of(columns) : data.residual.span()},
        how.options.refinement_steps, data.record_work, solve, residual, error);
    end(first, vectors.x, refined.backward_error);
    all.add(refined);
  };
  for_each_block(how.count, solve_block, how.columns);
  data.history.last_solve = {all.seconds, all.residual_seconds, how.count, all.steps};
  data.numeric->recorder().add_solves_to(data.history);
  data.history.backward_error = all.backward_error;
  note_peak(data.history.memory, "solve");
  return {{}, all.backward_error, all.steps};
}

bool overlap(std::span<const double> b, std::span<const double> x) {
  constexpr std::less<const double*> before;
  return before(b.data(), x.data() + x.size()) && before(x.data(), b.data() + b.size());
}

/// Solves from one array to another. The residual needs b when x has its solutions: where both
/// overlap, blocks of b are copied.
Solution solve_arrays(Factor& factor, FactorData& data, const BlockedSolve& how,
                      const BlockVectors& arrays) {
  const bool copies = overlap(arrays.b, arrays.x);
  const auto n = static_cast<std::size_t>(data.analysis->symbolic.n);
  BlockMemory memory(data.analysis->symbolic.n);
  const auto begin = [&](Index first, Index columns) {
    const BlockVectors vectors{arrays.b.subspan(n * first, n * columns),
                               arrays.x.subspan(n * first, n * columns)};
    if (!copies) return vectors;
    const std::span<double> copy = memory.of(columns);
    std::ranges::copy(vectors.b, copy.begin());
    return BlockVectors{copy, vectors.x};
  };
  return solve_blocks(factor, data, how, begin, [](auto&&...) {});
}

/// A plan, and the analysis with the panels that it is for.
struct Planned {
  FactorPlan plan;
  std::shared_ptr<const AnalysisData> analysis;
};

/// Plans with panels that are as wide as devices here want them, where nobody has chosen others, or
/// with those of the analysis where its tasks are left to the host.
Planned planned(const StarpuInstance& starpu, const std::shared_ptr<const AnalysisData>& given,
                const FactorOptions& options, const KernelCost& cost) {
  const Tuning here =
      default_tuning_by(starpu.costs(), starpu.cuda_devices() > 0, starpu.policy_traits());
  const auto in_wide_panels = in_panels_of(here.panel_width, given);
  PlanRequest request{.workers = starpu.processors(),
                      .options = tuned(options, options.deterministic ? Tuning{} : given->tuning),
                      .cost = cost,
                      .needs = policy_needs(starpu),
                      .devices = device_model(starpu, options.deterministic)};
  const bool chooses = request.devices.any_task && in_wide_panels != given;
  if (chooses) request.in_host_panels = &given->symbolic;
  FactorPlan plan = plan_factorization(in_wide_panels->symbolic, request);
  const bool is_for_host = plan.is_for_host;
  return {std::move(plan), is_for_host ? given : in_wide_panels};
}

}  // namespace

void time_devices(const Factor& factor) {
  Internals::data(factor).numeric->context().times_devices = true;
}

}  // namespace espalier::internal

namespace espalier {

using namespace internal;

Factor::Factor(const Runtime& runtime, const Analysis& analysis, const FactorOptions& options)
    : data_(new FactorData) {
  validate(options);
  PhaseWatch watch(options.record_work, Internals::data(analysis).workers);
  data_->record_work = options.record_work;
  data_->starpu = Internals::data(runtime).starpu.get();
  expect_same_rounding(*data_->starpu, options.deterministic);
  expect_calibrated(*data_->starpu);
  const std::shared_ptr<const AnalysisData> given = Internals::shared(analysis);
  expect_rows(*given);
  return_freed_memory();  // that of the ordering, which is as large as the factor of a small
                          // problem
  data_->cost = cost_for(given->facts, data_->starpu->costs().host.table);
  // What is measured may change from run to run, and plans with it.
  const KernelCost cost = options.deterministic ? KernelCost{} : data_->cost;
  const Kernels& kernels = cpu::kernels_for(options.kernels, cost.switch_points());
  auto [plan, planned_for] = planned(*data_->starpu, given, options, cost);
  data_->analysis = planned_for;
  const AnalysisData& a = *data_->analysis;
  data_->memory_limit = options.memory_limit;
  data_->deterministic = options.deterministic;
  data_->predicted_bytes =
      predicted_peak_bytes(a.symbolic, a.pattern->entries(),
                           {plan.workers, plan.graph.size(), bytes_of_build(plan)}) +
      (planned_for == given ? 0 : structure_bytes(given->symbolic)) + options.memory_beside;
  expect_memory(data_->predicted_bytes, options.memory_limit);
  data_->numeric = std::make_unique<NumericFactor>(*data_->starpu, a.symbolic, *a.pattern,
                                                   std::move(plan), options.deterministic, cost);
  return_freed_memory();  // that of the plan
  data_->numeric->context().kernels = &kernels;
  data_->kernels = options.kernels.from;
  data_->setup = watch.end_phase();
  data_->history.factor_seconds.reserve(usual_factorizations);
  data_->residual = Buffer(a.symbolic.n);
  populate(data_->residual.span(), a.workers);
  note_peak(data_->history.memory, "setup");
}

Factor::~Factor() = default;
Factor::Factor(Factor&&) noexcept = default;
Factor& Factor::operator=(Factor&&) noexcept = default;

void Factor::submit_factorize(const Matrix& matrix) {
  expect_analyzed(*data_->analysis->pattern, matrix);
  data_->numeric->wait();
  data_->matrix = Internals::shared(matrix);
  data_->norm = -1;
  data_->factored = false;
  data_->seconds = 0;
  data_->numeric->submit_factorize(data_->matrix->value.data());
  data_->factored = true;
}

FactorStatus Factor::wait() { return wait_for(*data_); }

FactorStatus Factor::factorize(const Matrix& matrix) {
  data_->numeric->recorder().reset_tally();
  const Stopwatch watch;
  submit_factorize(matrix);
  const FactorStatus status = wait();
  if (!status.ok()) return status;
  data_->seconds = watch.seconds();
  data_->numeric->recorder().add_run_to(data_->history, data_->seconds);
  return status;
}

void Factor::submit_solve(std::span<const double> b, std::span<double> x, Index count) {
  const Index n = data_->analysis->symbolic.n;
  expect_factor(*data_);
  expect_vectors(n, count, b.size(), x.size());
  const auto submit = [&](Index first, Index columns) {
    const Count offset = static_cast<Count>(first) * n;
    data_->numeric->submit_solve({b.data() + offset, x.data() + offset, columns});
  };
  for_each_block(count, submit, block_columns(*data_, count, {}));
}

Solution Factor::solve(std::span<const double> b, Index count, const SolveOptions& options) {
  validate(options);
  expect_factor(*data_);
  expect_vectors(data_->analysis->symbolic.n, count, b.size(), b.size());
  const Count held = Count{count - 1} * vector_bytes(*data_);
  const Index columns = block_columns(*data_, count, {held, 1});
  std::vector<double> x(b.size());
  Solution solution = solve_arrays(*this, *data_, {count, columns, options}, {b, x});
  solution.x = std::move(x);
  return solution;
}

Solution Factor::solve(std::span<const double> b, std::span<double> x, Index count,
                       const SolveOptions& options) {
  validate(options);
  expect_factor(*data_);
  expect_vectors(data_->analysis->symbolic.n, count, b.size(), x.size());
  const Index columns = block_columns(*data_, count, {0, overlap(b, x) ? 2 : 1});
  return solve_arrays(*this, *data_, {count, columns, options}, {b, x});
}

Solution Factor::solve(Index count, const VectorBlocks& blocks, const SolveOptions& options) {
  validate(options);
  expect_factor(*data_);
  const Index n = data_->analysis->symbolic.n;
  const std::size_t entries = static_cast<std::size_t>(n) * static_cast<std::size_t>(count);
  expect_vectors(n, count, entries, entries);
  const Index columns = block_columns(*data_, count, {0, 3});
  BlockMemory of_b(n);
  BlockMemory of_x(n);
  const auto begin = [&](Index first, Index block) {
    const std::span<double> b = of_b.of(block);
    blocks.read(first, b);
    return BlockVectors{b, of_x.of(block)};
  };
  return solve_blocks(*this, *data_, {count, columns, options}, begin, blocks.write);
}

Report Factor::report() const {
  Report report = data_->analysis->report;
  describe_costs(data_->starpu->costs().host, report);
  const FactorPlan& plan = data_->numeric->plan();
  describe_plan(data_->analysis->symbolic, plan, data_->analysis->pattern->entries(), report);
  report.symbolic.predicted_peak_bytes = data_->predicted_bytes + data_->solve_bytes;
  report.offload.bound_seconds =
      bound_of(plan, data_->analysis->symbolic, data_->cost, *data_->starpu);
  report.factor.bound_seconds = schedule_bound(plan, data_->analysis->symbolic, data_->cost,
                                               *data_->starpu, data_->numeric->device_seconds());
  describe_machine(*data_->starpu, report);
  data_->history.describe(report);
  offload_done(data_->history, plan, data_->analysis->symbolic, data_->cost, *data_->starpu)
      .describe(report.offload);
  report.tasks.prediction_error = prediction_error(data_->numeric->factor_tasks()).relative();
  const SymbolicFactor& symbolic = data_->analysis->symbolic;
  report.widths = work_by_width({symbolic, sole_ownership(symbolic)}, plan.graph.cut, data_->cost,
                                data_->numeric->factor_tasks());
  report.factor.granularity = name_of(plan.granularity);
  report.factor.kernels = name_of(data_->kernels);
  report.factor.setup_seconds = data_->setup.seconds;
  report.factor.setup_work = data_->setup.work;
  report.bad_column = data_->bad_column;
  if (data_->bad_column >= 0) report.status = "not_positive_definite";
  return report;
}

Schedule Factor::schedule() const {
  Schedule schedule;
  if (!data_->factored) return schedule;
  const FactorPlan& plan = data_->numeric->plan();
  schedule.workers = plan.offloads ? data_->starpu->workers() : data_->starpu->cpu_workers();
  schedule.critical_path_seconds = critical_path(plan.graph);
  for (const BoundTask& task : data_->numeric->factor_tasks()) {
    if (task.record.worker < 0) return {};
    schedule.tasks.push_back(run_of(task.shape, task.record));
    schedule.seconds = std::max(schedule.seconds, task.record.end);
  }
  if (data_->seconds > 0) schedule.seconds = data_->seconds;
  schedule.copies = data_->numeric->recorder().factor_copies();
  const WorkerTime time = data_->numeric->recorder().worker_time(schedule.seconds);
  schedule.idle_seconds = time.idle;
  schedule.runtime_seconds = time.runtime;
  return schedule;
}

}  // namespace espalier
