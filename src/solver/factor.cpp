// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/memory.hpp"
#include "base/options.hpp"
#include "base/scalar.hpp"
#include "codelets/cpu/combined.hpp"
#include "espalier/tuning.hpp"
#include "graph/task_graph.hpp"
#include "matrix/sparse_matrix.hpp"
#include "perfmodels/phase_watch.hpp"
#include "plan/memory.hpp"
#include "report/factor_report.hpp"
#include "report/offload_report.hpp"
#include "report/process_record.hpp"
#include "report/width_report.hpp"
#include "runtime/starpu/devices.hpp"
#include "solver/analysis.hpp"
#include "solver/automatic_factorization.hpp"
#include "solver/blocked_solve.hpp"
#include "solver/data.hpp"
#include "solver/delayed_pivots.hpp"
#include "solver/factor_data.hpp"
#include "solver/local_system.hpp"
#include "solver/matrix.hpp"
#include "solver/pivots.hpp"
#include "solver/policy_needs.hpp"
#include "solver/refinement.hpp"

namespace espalier::internal {

namespace {

/// Number of factorizations whose times fit into memory that is reserved at the start.
constexpr std::size_t usual_factorizations = 1024;

Count vector_bytes(const FactorData& data) { return scalar.bytes_of(data.analysis->symbolic.n); }

}  // namespace

Count block_vector_bytes(const FactorData& data, Index columns, Index vectors) {
  const Count more = Count{columns - 1} * vectors + (columns > 1 && vectors > 0 ? 1 : 0);
  return more * vector_bytes(data);
}

Index block_columns(FactorData& data, Index count, const SolveMemory& memory) {
  const auto bytes = [&](Index columns) {
    return memory.held + block_vector_bytes(data, columns, memory.vectors);
  };
  return block_columns(data.state, LocalSystem(data), {count, bytes, memory.part});
}

namespace {

/// Returns the result of the last factorization, whose tasks must have ended.
Outcome outcome_of(const FactorData& data) {
  if (data.log.refused) return {{}, data.log.refused};
  NumericFactor& numeric = *data.state.numeric;
  const Index column = numeric.failed_column();
  if (column < 0) return {};
  const SharedPattern& pattern = *data.analysis->pattern;
  const std::span value(numeric.context().value, static_cast<std::size_t>(pattern.entries()));
  // A value that is not finite makes the pivot check of its row or of its column fail. So it is
  // enough to check the values after a failed pivot check.
  try {
    check_values({pattern, value});
  } catch (const InputError&) {
    return {{}, std::current_exception()};
  }
  const Index failed = data.analysis->symbolic.permutation.old_of[column];
  if (!numeric.context().signs.empty()) return {{failed}, nullptr};
  return {{std::min(failed, first_bad_diagonal(pattern, value))}, nullptr};
}

}  // namespace

void record_outcome(FactorData& data) {
  if (data.log.is_open) data.log.close(outcome_of(data));
}

void settle(FactorData& data) {
  FactorState& state = data.state;
  allocated(state).wait();
  record_outcome(data);
  data.earlier_matrix.reset();
  state.bad_column = data.log.last.status.bad_column;
  const bool factored = std::exchange(state.factored, false);
  expect_devices_did_well(state.numeric->device_budget());
  state.factored = factored && data.log.last.ok();
}

FactorStatus wait_for(FactorData& data) {
  settle(data);
  return data.log.last.result();
}

namespace {

/// Throws UsageError if an option is wrong or if there is no factor to solve with. Waits for a
/// factorization with values of a handle, because the solve needs these values for its residuals.
void expect_solvable(FactorData& data, const SolveOptions& options) {
  validate(options);
  if (data.matrix && data.matrix == data.matrix_of_handles) settle(data);
  expect_factor(data.state);
}

/// Memory for the vectors of one block after the other. The last block may be smaller.
class BlockMemory {
 public:
  explicit BlockMemory(Index n) : n_(n) {}

  std::span<double> of(Index columns) {
    const Count entries = Count{n_} * columns;
    if (memory_.size() != entries) {
      memory_ = Buffer();  // frees the old memory before the allocation
      memory_ = Buffer(entries);
    }
    return memory_.span();
  }

 private:
  Index n_;
  Buffer memory_;
};

/// Right-hand sides of a block, and memory for its solutions.
struct BlockArrays {
  std::span<const double> b;
  std::span<double> x;
};

/// Solves for one block after the other. begin(first, columns) returns the BlockArrays of a block.
/// end(first, x, error) is called when x has its solutions.
template <class Begin, class End>
Solution solve_local(FactorData& data, const BlockedSolve& how, Begin begin, End end) {
  BlockMemory residuals(data.analysis->symbolic.n);
  const auto vectors = [&](Index first, Index columns) {
    const BlockArrays arrays = begin(first, columns);
    return BlockVectors{
        {arrays.b, arrays.x, columns > 1 ? residuals.of(columns) : data.residual.span()}};
  };
  const auto done = [&](Index first, const BlockVectors& block, double error) {
    end(first, block.x, error);
    return 0.0;
  };
  LocalSystem system(data);
  const Refined all = solve_blocks(data.state, system, how, {vectors, done});
  return {{}, all.backward_error, all.steps};
}

bool overlap(std::span<const double> b, std::span<const double> x) {
  constexpr std::less<const double*> before;
  return before(b.data(), x.data() + x.size()) && before(x.data(), b.data() + b.size());
}

/// Solves from one array to another. If the arrays overlap, blocks of b are copied, because the
/// residual needs b when x has the solutions.
Solution solve_arrays(FactorData& data, const BlockedSolve& how, const BlockArrays& arrays) {
  const bool copies = overlap(arrays.b, arrays.x);
  const auto n = static_cast<std::size_t>(data.analysis->symbolic.n);
  BlockMemory memory(data.analysis->symbolic.n);
  const auto begin = [&](Index first, Index columns) {
    const BlockArrays block{arrays.b.subspan(n * first, n * columns),
                            arrays.x.subspan(n * first, n * columns)};
    if (!copies) return block;
    const std::span<double> copy = memory.of(columns);
    std::ranges::copy(block.b, copy.begin());
    return BlockArrays{copy, block.x};
  };
  return solve_local(data, how, begin, [](auto&&...) {});
}

/// Returns the signs in the order of L.
std::vector<double> signs_by_columns(std::span<const signed char> given,
                                     const AnalysisData& analysis) {
  const std::vector<Index>& old_of = analysis.symbolic.permutation.old_of;
  const std::vector<double> by_rows =
      checked_signs(given, static_cast<Index>(old_of.size()), analysis.pattern->base());
  std::vector<double> signs(by_rows.size());
  for (std::size_t k = 0; k < signs.size(); ++k) signs[k] = by_rows[old_of[k]];
  return signs;
}

}  // namespace

const double* scaled_if_needed(FactorData& data, const MatrixData& matrix) {
  NumericFactor& numeric = *data.state.numeric;
  if (!chooses_pivots(data.state)) {
    numeric.set_scale({});
    return matrix.value.data();
  }
  data.scaled.scale(matrix);
  numeric.set_scale(data.scaled.factors);
  return data.scaled.values.data();
}

void start_factorization(FactorData& data) {
  if (chooses_pivots(data.state)) prepare_pivots(*data.state.numeric);
  data.state.numeric->submit_factorize(scaled_if_needed(data, *data.matrix));
  data.log.open();
  data.state.factored = true;
}

namespace {

/// A plan, and the analysis whose panels it uses.
struct Planned {
  FactorPlan plan;
  std::shared_ptr<const AnalysisData> analysis;
};

/// Makes a plan. If the user has not chosen a panel width, the panels are as wide as the devices of
/// this machine need. If the plan gives all tasks to the host, it uses the panels of the analysis
/// instead.
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
  request.threads = starpu.cpu_workers();
  if (chooses) request.in_host_panels = &given->symbolic;
  FactorPlan plan = plan_factorization(in_wide_panels->symbolic, request);
  const bool is_for_host = plan.is_for_host;
  return {std::move(plan), is_for_host ? given : in_wide_panels};
}

}  // namespace

void make_numeric(FactorData& data, const std::shared_ptr<const AnalysisData>& given) {
  FactorState& state = data.state;
  const FactorOptions& options = state.options;
  // Gives the memory of the ordering back to the system. This memory is as large as the factor of a
  // small problem.
  return_freed_memory();
  state.cost = cost_for(given->facts, state.starpu->costs().host.table);
  // Measured costs may change from run to run, and plans with them.
  const KernelCost cost = options.deterministic ? KernelCost{} : state.cost;
  const Kernels& kernels = cpu::kernels_for(options.kernels, cost.switch_points());
  auto [plan, planned_for] = planned(*state.starpu, given, options, cost);
  const AnalysisData& a = *planned_for;
  const Count predicted_bytes =
      predicted_peak_bytes(a.symbolic, a.pattern->entries(),
                           {plan.workers, plan.graph.size(), bytes_of_build(plan),
                            plan.graph.batches.size(), plan.has_handles}) +
      (planned_for == given ? 0 : structure_bytes(given->symbolic)) +
      pivot_bytes(a.symbolic.n, options) +
      scaled_matrix_bytes(a.symbolic.n, a.pattern->entries(), options) + options.memory_beside;
  expect_memory(predicted_bytes, options.memory_limit);
  state.predicted_bytes = predicted_bytes;
  state.numeric.reset();  // frees an earlier factor before the next one needs memory
  state.numeric = std::make_unique<NumericFactor>(*state.starpu, a.symbolic, *a.pattern,
                                                  std::move(plan), options.deterministic, cost);
  return_freed_memory();  // memory of the plan's temporary data
  state.numeric->context().kernels = &kernels;
  data.analysis = planned_for;
}

}  // namespace espalier::internal

namespace espalier {

using namespace internal;

void time_devices(const Factor& factor) {
  Internals::data(factor).state.numeric->context().times_devices = true;
}

Factor::Factor(const Runtime& runtime, const Analysis& analysis, const FactorOptions& options)
    : data_(new FactorData) {
  validate(options);
  PhaseWatch watch(options.record_work, Internals::data(analysis).workers);
  FactorState& state = data_->state;
  state.options = options;
  begin_with_llt(state);
  state.starpu = Internals::data(runtime).starpu.get();
  expect_same_rounding(*state.starpu, options.deterministic);
  expect_supported(options);
  expect_calibrated(*state.starpu);
  const std::shared_ptr<const AnalysisData> given = Internals::shared(analysis);
  expect_rows(*given);
  make_numeric(*data_, given);
  state.setup = watch.end_phase();
  state.history.factor_seconds.reserve(usual_factorizations);
  data_->residual = Buffer(given->symbolic.n);
  populate(data_->residual.span(), given->workers);
  note_peak(state.history.memory, "setup");
}

Factor::~Factor() = default;
Factor::Factor(Factor&&) noexcept = default;
Factor& Factor::operator=(Factor&&) noexcept = default;

void Factor::set_signs(std::span<const signed char> signs) {
  FactorState& state = data_->state;
  expect_signed(state);
  settle(*data_);
  state.factored = false;
  if (data_->delayed > 0) make_numeric(*data_, std::exchange(data_->undelayed, nullptr));
  data_->delayed = 0;
  state.numeric->set_signs(signs_by_columns(signs, *data_->analysis), state.options.regularization,
                           [](double own) { return own; });
}

namespace {

/// Submits a factorization of a matrix with the analyzed pattern.
void submit(FactorData& data, const Matrix& matrix) {
  NumericFactor& numeric = allocated(data.state);
  expect_regularizable(data.state);
  numeric.wait();
  record_outcome(data);
  data.matrix = Internals::shared(matrix);
  data.state.norm = -1;
  data.state.factored = false;
  data.seconds = 0;
  start_factorization(data);
}

/// Waits for the factorizations, repeats the last one if its pivots are too small, and returns the
/// result, see Factor::wait().
FactorStatus result_of(FactorData& data) {
  settle(data);
  const FactorStatus status = data.log.take();
  if (!status.ok() || !data.state.factored || !delay_pivots(data)) return status;
  return data.log.take();
}

/// Factorizes once, and adds the time of the watch to the history after a success.
FactorStatus factorize_once(FactorData& data, const Matrix& matrix, const Stopwatch& watch) {
  allocated(data.state).recorder().reset_tally();
  submit(data, matrix);
  data.log.forget();  // results of earlier factorizations, for which nobody has waited
  const FactorStatus status = result_of(data);
  if (!status.ok()) return status;
  data.seconds = watch.seconds();
  data.state.numeric->recorder().add_run_to(data.state.history, data.seconds);
  return status;
}

}  // namespace

void Factor::submit_factorize(const Matrix& matrix) {
  if (data_->state.automatic) {
    throw UsageError(
        "factorization=auto may have to factorize twice, so it cannot be submitted; call "
        "factorize(), or choose llt or ldlt");
  }
  expect_analyzed(*data_->analysis->pattern, matrix);
  submit(*data_, matrix);
}

FactorStatus Factor::wait() { return result_of(*data_); }

FactorStatus Factor::factorize(const Matrix& matrix) {
  FactorData& data = *data_;
  const Stopwatch watch;
  expect_analyzed(*data.analysis->pattern, matrix);
  return factorize_by_steps(
      data.state, watch,
      {[&] { return has_bad_diagonal(matrix); },
       [&](const Stopwatch& begun) { return factorize_once(data, matrix, begun); },
       [&](double attempt_seconds) { turn_to_ldlt(data, matrix, attempt_seconds); }});
}

void Factor::submit_solve(std::span<const double> b, std::span<double> x, Index count) {
  const Index n = data_->analysis->symbolic.n;
  expect_factor(data_->state);
  expect_vectors(n, count, b.size(), x.size());
  const bool scales_in_task = data_->matrix == data_->matrix_of_handles;
  if (scales_in_task && chooses_pivots(data_->state)) data_->state.numeric->wait();
  const auto submit = [&](Index first, Index columns) {
    const Count offset = static_cast<Count>(first) * n;
    data_->state.numeric->submit_solve({b.data() + offset, x.data() + offset, columns});
  };
  for_each_block(count, submit, block_columns(*data_, count, {}));
}

Solution Factor::solve(std::span<const double> b, Index count, const SolveOptions& options) {
  expect_solvable(*data_, options);
  expect_vectors(data_->analysis->symbolic.n, count, b.size(), b.size());
  const Count held = Count{count - 1} * vector_bytes(*data_);
  const Index columns = block_columns(*data_, count, {held, 1});
  std::vector<double> x(b.size());
  Solution solution = solve_arrays(*data_, {count, columns, options}, {b, x});
  solution.x = std::move(x);
  return solution;
}

Solution Factor::solve(std::span<const double> b, std::span<double> x, Index count,
                       const SolveOptions& options) {
  expect_solvable(*data_, options);
  expect_vectors(data_->analysis->symbolic.n, count, b.size(), x.size());
  const Index columns = block_columns(*data_, count, {0, overlap(b, x) ? 2 : 1});
  return solve_arrays(*data_, {count, columns, options}, {b, x});
}

Solution Factor::solve(Index count, const VectorBlocks& blocks, const SolveOptions& options) {
  expect_solvable(*data_, options);
  const Index n = data_->analysis->symbolic.n;
  const std::size_t entries = static_cast<std::size_t>(n) * static_cast<std::size_t>(count);
  expect_vectors(n, count, entries, entries);
  const Index columns = block_columns(*data_, count, {0, 3});
  BlockMemory of_b(n);
  BlockMemory of_x(n);
  const auto begin = [&](Index first, Index block) {
    const std::span<double> b = of_b.of(block);
    blocks.read(first, b);
    return BlockArrays{b, of_x.of(block)};
  };
  return solve_local(*data_, {count, columns, options}, begin, blocks.write);
}

Report Factor::report() const {
  const FactorState& state = data_->state;
  const StarpuInstance& starpu = *state.starpu;
  const NumericFactor& numeric = allocated(state);
  const SymbolicFactor& symbolic = data_->analysis->symbolic;
  const FactorPlan& plan = numeric.plan();
  const std::span<const BoundTask> tasks = numeric.factor_tasks();
  Report report = data_->analysis->report;
  describe_costs(starpu.costs().host, report);
  describe_machine(starpu, report);
  const std::array record{record_of({starpu, symbolic, plan, state.cost, state.history, tasks})};
  describe_processes(record, state.history, report);
  if (plan.offload) report.offload.costs = plan.offload->source;
  report.factor.bound_seconds =
      schedule_bound(plan, symbolic, state.cost, starpu, numeric.device_seconds());
  report.widths =
      work_by_width({symbolic, sole_ownership(symbolic)}, plan.graph.cut, state.cost, tasks);
  describe_factor(state, report);
  if (!state.factored || state.options.factorization == Factorization::llt) return report;
  settle(*data_);  // L must be complete
  if (state.factored) describe_pivots(pivot_facts(*data_), report);
  report.factor.delayed = data_->delayed;
  report.factor.attempt_seconds = data_->attempt_seconds;
  return report;
}

Schedule Factor::schedule() const {
  const FactorState& state = data_->state;
  Schedule schedule;
  if (!state.factored) return schedule;
  const FactorPlan& plan = state.numeric->plan();
  schedule.workers = plan.offloads ? state.starpu->workers() : state.starpu->cpu_workers();
  schedule.critical_path_seconds = critical_path(plan.graph);
  for (const BoundTask& task : state.numeric->factor_tasks()) {
    if (task.record.worker < 0) return {};
    schedule.tasks.push_back(run_of(task.shape, task.record));
    schedule.seconds = std::max(schedule.seconds, task.record.end);
  }
  if (data_->seconds > 0) schedule.seconds = data_->seconds;
  schedule.copies = state.numeric->recorder().factor_copies();
  const WorkerTime time = state.numeric->recorder().worker_time(schedule.seconds);
  schedule.idle_seconds = time.idle;
  schedule.runtime_seconds = time.runtime;
  return schedule;
}

}  // namespace espalier
