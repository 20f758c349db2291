// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <utility>

#include "base/memory.hpp"
#include "base/options.hpp"
#include "codelets/cpu/combined.hpp"
#include "graph/task_graph.hpp"
#include "matrix/sparse_matrix.hpp"
#include "perfmodels/phase_watch.hpp"
#include "plan/memory.hpp"
#include "report/factor_report.hpp"
#include "report/offload_report.hpp"
#include "report/width_report.hpp"
#include "runtime/starpu/devices.hpp"
#include "solver/data.hpp"
#include "solver/matrix.hpp"
#include "solver/policy_needs.hpp"
#include "solver/refinement.hpp"

namespace espalier::internal {

struct FactorData {
  const StarpuInstance* starpu = nullptr;
  std::shared_ptr<const AnalysisData> analysis;
  bool record_work = false;
  DenseKernels::Source kernels{};
  PhaseTime setup;
  std::shared_ptr<const MatrixData>
      matrix;  ///< whose values are in L; tasks of `numeric` read them
  std::unique_ptr<NumericFactor> numeric;
  double norm = -1;  ///< the norm of `matrix`, once a solve has needed it
  bool factored = false;
  Index bad_column = -1;  ///< the column at which the last factorization failed, or -1
  double seconds = 0;     ///< the last factorization's; 0 where it was not waited for in one call
  FactorHistory history;
};

namespace {

/// The times of so many fit in memory that is there from the start.
constexpr std::size_t usual_factorizations = 1024;

}  // namespace

}  // namespace espalier::internal

namespace espalier {

using namespace internal;

Factor::Factor(const Runtime& runtime, const Analysis& analysis, const FactorOptions& options)
    : data_(new FactorData) {
  validate(options);
  const Kernels& kernels = cpu::kernels_for(options.kernels);
  PhaseWatch watch(options.record_work, Internals::data(analysis).workers);
  data_->record_work = options.record_work;
  data_->starpu = Internals::data(runtime).starpu.get();
  expect_same_rounding(*data_->starpu, options.deterministic);
  expect_calibrated(*data_->starpu);
  data_->analysis = Internals::shared(analysis);
  const AnalysisData& a = *data_->analysis;
  expect_rows(a);
  return_freed_memory();  // that of the ordering, which is as large as the factor of a small
                          // problem
  // What is measured may change from run to run, and plans with it.
  const KernelCost cost = options.deterministic ? KernelCost{} : a.cost;
  const FactorOptions complete = tuned(options, options.deterministic ? Tuning{} : a.tuning);
  const Index accelerators = data_->starpu->coprocessor_workers() + data_->starpu->cuda_workers();
  const Index workers = data_->starpu->cpu_workers() + accelerators;
  // A sum that is divided between both sides has other bits.
  const auto halo = options.deterministic ? std::nullopt : offload_options(*data_->starpu);
  const auto devices = options.deterministic ? std::nullopt : any_task_devices(*data_->starpu);
  FactorPlan plan =
      plan_factorization(a.symbolic, workers, complete, cost, policy_needs(*data_->starpu),
                         accelerators > 0, halo, devices);
  expect_memory(predicted_peak_bytes(a.symbolic, a.pattern->entries()), options.memory_limit);
  data_->numeric = std::make_unique<NumericFactor>(*data_->starpu, a.symbolic, *a.pattern,
                                                   std::move(plan), options.deterministic, cost);
  data_->numeric->context().kernels = &kernels;
  data_->kernels = options.kernels.from;
  data_->setup = watch.end_phase();
  data_->history.factor_seconds.reserve(usual_factorizations);
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
  data_->factored = true;
  data_->seconds = 0;
  data_->numeric->submit_factorize(data_->matrix->value.data());
}

FactorStatus Factor::wait() {
  const Index column = data_->numeric->wait();
  data_->bad_column = -1;
  const bool factored = std::exchange(data_->factored, false);
  expect_devices_did_well(data_->numeric->device_budget());
  if (column < 0) {
    data_->factored = factored;
    return {};
  }
  data_->bad_column = std::min(data_->analysis->symbolic.permutation.old_of[column],
                               first_bad_diagonal(*data_->analysis->pattern, data_->matrix->value));
  return {data_->bad_column};
}

FactorStatus Factor::factorize(const Matrix& matrix) {
  data_->numeric->reset_tally();
  const Stopwatch watch;
  submit_factorize(matrix);
  const FactorStatus status = wait();
  if (!status.ok()) return status;
  data_->seconds = watch.seconds();
  data_->numeric->add_run_to(data_->history, data_->seconds);
  return status;
}

void Factor::submit_solve(std::span<const double> b, std::span<double> x, Index count) {
  const Index n = data_->analysis->symbolic.n;
  if (!data_->factored) {
    throw UsageError("there is no factor to solve with; call factorize() with success first");
  }
  expect_vectors(n, count, b.size(), x.size());
  for_each_block(count, [&](Index first, Index columns) {
    const Count offset = static_cast<Count>(first) * n;
    data_->numeric->submit_solve({b.data() + offset, x.data() + offset, columns});
  });
}

Solution Factor::solve(std::span<const double> b, Index count, const SolveOptions& options) {
  validate(options);
  const auto solve = [&](std::span<const double> right) {
    std::vector<double> x(right.size());
    submit_solve(right, x, count);
    wait();
    return x;
  };
  const auto residual = [&](std::span<const double> x, std::vector<double>& r) {
    const SparseMatrixView a(*data_->analysis->pattern, data_->matrix->value);
    if (data_->norm < 0) data_->norm = norm_inf(a);
    r.resize(b.size());
    return residual_error(a, data_->norm, x, b, r, count);
  };
  data_->numeric->reset_solve_tally();
  Refined refined = solve_refined(b, options.refinement_steps, data_->record_work, solve, residual);
  data_->history.last_solve = {refined.seconds, refined.residual_seconds, count, refined.steps};
  data_->numeric->add_solves_to(data_->history);
  data_->history.backward_error = refined.backward_error;
  note_peak(data_->history.memory, "solve");
  return {std::move(refined.x), refined.backward_error, refined.steps};
}

Report Factor::report() const {
  Report report = data_->analysis->report;
  const FactorPlan& plan = data_->numeric->plan();
  describe_plan(data_->analysis->symbolic, plan, data_->analysis->pattern->entries(), report);
  report.offload.bound_seconds =
      bound_of(plan, data_->analysis->symbolic, data_->analysis->cost, *data_->starpu);
  describe_machine(*data_->starpu, report);
  data_->history.describe(report);
  offload_done(data_->history, plan, data_->analysis->symbolic, data_->analysis->cost,
               *data_->starpu)
      .describe(report.offload);
  report.tasks.prediction_error = prediction_error(data_->numeric->factor_tasks()).relative();
  const SymbolicFactor& symbolic = data_->analysis->symbolic;
  report.widths = work_by_width({symbolic, sole_ownership(symbolic)}, plan.graph.cut,
                                data_->analysis->cost, data_->numeric->factor_tasks());
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
  schedule.copies = data_->numeric->factor_copies();
  const WorkerTime time = data_->numeric->worker_time(schedule.seconds);
  schedule.idle_seconds = time.idle;
  schedule.runtime_seconds = time.runtime;
  return schedule;
}

}  // namespace espalier
