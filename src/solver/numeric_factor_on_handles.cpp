// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "solver/numeric_factor.hpp"

/// Factorizations and solves on handles of an application. All of them write the FactorReady, so
/// StarPU runs those of one factor one after another. A factorization is surrounded by fences over
/// all data of L, and a solve ends with a fence over its segments.
namespace espalier::internal {

void NumericFactor::wait_for_runs() {
  if (runner_.has_runs()) runner_.wait_for_tasks();
  handles_under_way_ = true;
}

void NumericFactor::fence_solves_of_arrays() {
  if (std::exchange(reads_arrays_, false)) {
    runner_.fence(solves_.all_segments(), storage_.ready_handle().front());
  }
}

std::span<const starpu_data_handle_t> NumericFactor::data_of_factor() {
  return plan().direct ? std::span<const starpu_data_handle_t>() : storage_.handles();
}

void NumericFactor::submit_in_order(HostTask task, std::span<const starpu_data_descr> accesses) {
  wait_for_runs();
  std::vector<starpu_data_descr> all{{storage_.ready_handle().front(), STARPU_RW}};
  all.insert(all.end(), accesses.begin(), accesses.end());
  const auto work = [run = std::move(task.work)](std::span<const ApplicationView> views) {
    run(views.subspan(1));
  };
  runner_.start(HostTask{task.name, work}, all);
}

void NumericFactor::end_factorization() {
  wait_for_runs();
  runner_.fence(data_of_factor(), storage_.ready_handle().front());
}

void NumericFactor::submit_beside(const Message& message, starpu_data_handle_t data) {
  Transfers transfers = storage_.transfers_of({});
  ++transfers.series;
  runner_.start(message, data, transfers);
}

void NumericFactor::submit_factorize(std::span<const starpu_data_handle_t> values,
                                     TakeValues take) {
  storage_.wait_for_pinned();
  wait_for_runs();
  fence_solves_of_arrays();
  const starpu_data_handle_t ready = storage_.ready_handle().front();
  const std::span<const starpu_data_handle_t> data = data_of_factor();
  std::vector<starpu_data_descr> accesses{{ready, STARPU_RW}};
  for (const starpu_data_handle_t part : values) accesses.push_back({part, STARPU_R});
  const auto begin = [this, take = std::move(take)](std::span<const ApplicationView> views) {
    const double* const taken = take(views.subspan(1));
    open(taken);
    *views.front().data = 0;  // may have the mark of an earlier failure
    FactorContext& context = storage_.context();
    if (taken == nullptr) context.failure.report_elsewhere();
    recorder_.start_copies();
    if (!plan().direct) return;
    Worker worker{*context.kernels, context.workspace.front()};
    run_sequentially(storage_.tasks(), worker);
  };
  runner_.fence(data, ready);
  runner_.start(HostTask{"take values", begin}, accesses);
  if (plan().direct) return;
  runner_.fence(data, ready);
  factor_under_way_ = true;
  const Transfers transfers = storage_.transfers();
  runner_.start(storage_.tasks(), data, &transfers, Throttle::off);
  if (!plan().offloads) return;
  if (storage_.engine() == nullptr) runner_.copy_to_host(storage_.tasks(), data);
  expect_at_home();
}

void NumericFactor::submit_solve(const HandleSolve& solve) {
  wait_for_runs();
  fence_solves_of_arrays();
  if (factor_under_way_) expect_at_home();
  solve_under_way_ = true;
  SolveCache::Entry& solver = solves_.find_beside_tasks(solve.columns);
  if (setup_.runs_here(solve.columns)) return submit_in_one_task(solve, solver);
  submit_between_copies(solve, solver);
}

namespace {

using HandleSolve = NumericFactor::HandleSolve;

/// Returns the access of a task that writes x. The first columns overwrite x; later ones keep the
/// columns before them. b may be the same handle.
starpu_data_descr access_to_x(const HandleSolve& solve) {
  const bool keeps = solve.first > 0 || solve.b == solve.x;
  return {solve.x, keeps ? STARPU_RW : STARPU_W};
}

/// Returns the accesses of a task that reads b and writes x, or both if they are the same handle.
std::vector<starpu_data_descr> accesses_of(const HandleSolve& solve, starpu_data_handle_t ready) {
  if (solve.b == solve.x) return {{ready, STARPU_RW}, access_to_x(solve)};
  return {{ready, STARPU_RW}, {solve.b, STARPU_R}, access_to_x(solve)};
}

/// Returns the access if its handle exists.
std::vector<starpu_data_descr> if_any(const starpu_data_descr& access) {
  if (access.handle == nullptr) return {};
  return {access};
}

Index rows_of(const HandleSolve& solve, Index n) {
  return solve.rows.empty() ? n : static_cast<Index>(solve.rows.size());
}

void fill_with_nan(const ApplicationView& x, Index n, const HandleSolve& solve) {
  const Index rows = rows_of(solve, n);
  for (Index j = 0; j < solve.columns; ++j) {
    std::fill_n(x.column(solve.first + j, rows), rows, std::numeric_limits<double>::quiet_NaN());
  }
}

/// Copies the columns of b to `vectors`, which have n rows each.
void take_columns(const ApplicationView& b, Index n, const HandleSolve& solve, double* vectors) {
  const Index rows = rows_of(solve, n);
  for (Index j = 0; j < solve.columns; ++j, vectors += n) {
    const double* const from = b.column(solve.first + j, rows);
    if (solve.rows.empty()) std::copy_n(from, n, vectors);
    for (std::size_t i = 0; i < solve.rows.size(); ++i) vectors[solve.rows[i]] = from[i];
  }
}

/// Copies `vectors`, which have n rows each, to the columns of x.
void give_columns(const double* vectors, Index n, const HandleSolve& solve,
                  const ApplicationView& x) {
  const Index rows = rows_of(solve, n);
  for (Index j = 0; j < solve.columns; ++j, vectors += n) {
    double* const to = x.column(solve.first + j, rows);
    if (solve.rows.empty()) std::copy_n(vectors, n, to);
    for (std::size_t i = 0; i < solve.rows.size(); ++i) to[i] = vectors[solve.rows[i]];
  }
}

}  // namespace

void NumericFactor::submit_in_one_task(const HandleSolve& solve, SolveCache::Entry& solver) {
  const auto run = [this, solve, &solver](std::span<const ApplicationView> views) {
    FactorContext& context = storage_.context();
    const Index n = storage_.structure().n;
    const ApplicationView& b = views[1];
    const ApplicationView& x = views.back();
    if (context.has_failed()) return fill_with_nan(x, n, solve);
    reserve_vectors(context.workspace, solve.columns);
    solver.tasks.set_vectors(with_scale({b.column(solve.first, n), x.column(solve.first, n),
                                         solve.columns, b.distance, x.distance}));
    const auto id = plan().direct ? 0 : static_cast<std::size_t>(starpu_worker_get_id_check());
    Worker worker{*context.kernels, context.workspace[id]};
    run_sequentially(solver.tasks.list(), worker);
  };
  runner_.start(HostTask{"solve", run}, accesses_of(solve, storage_.ready_handle().front()));
}

void NumericFactor::submit_between_copies(const HandleSolve& solve, SolveCache::Entry& solver) {
  const Index n = storage_.structure().n;
  const starpu_data_handle_t ready = storage_.ready_handle().front();
  const Count entries = Count{n} * solve.columns;
  if (solver.vectors.size() == 0) solver.vectors = Buffer(entries);
  double* const vectors = solver.vectors.data();
  const auto take = [=, this, &solver](std::span<const ApplicationView> views) {
    FactorContext& context = storage_.context();
    if (context.has_failed()) return;
    reserve_vectors(context.workspace, solve.columns);
    solver.tasks.set_vectors(with_scale({vectors, vectors, solve.columns}));
    if (!views.empty()) take_columns(views.front(), n, solve, vectors);
  };
  const auto give = [=, this](std::span<const ApplicationView> views) {
    if (views.empty()) return;
    if (storage_.context().has_failed()) return fill_with_nan(views.front(), n, solve);
    give_columns(vectors, n, solve, views.front());
  };
  submit_in_order(HostTask{"take b", take}, if_any({solve.b, STARPU_R}));
  // Keeps the messages of an earlier solve with other data, which have the same tags, apart.
  if (storage_.engine() != nullptr) runner_.fence(solver.segments.all(), ready);
  const Transfers transfers = storage_.transfers_of(solver.tasks.messages());
  runner_.start(solver.tasks.list(), solves_.handles_of(solver), &transfers, Throttle::off);
  runner_.fence(solver.segments.all(), ready);
  submit_in_order(HostTask{"give x", give}, if_any(access_to_x(solve)));
}

}  // namespace espalier::internal
