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

void NumericFactor::fence_solves_of_arrays() {
  if (std::exchange(reads_arrays_, false)) {
    runner_.fence(solves_.all_segments(), storage_.ready_handle().front());
  }
}

void NumericFactor::submit_factorize(starpu_data_handle_t values, TakeValues take) {
  storage_.wait_for_pinned();
  fence_solves_of_arrays();
  const starpu_data_handle_t ready = storage_.ready_handle().front();
  const std::span<const starpu_data_handle_t> data =
      plan().direct ? std::span<const starpu_data_handle_t>() : storage_.handles();
  const std::array accesses{starpu_data_descr{ready, STARPU_RW},
                            starpu_data_descr{values, STARPU_R}};
  const auto begin = [this, take = std::move(take)](std::span<const ApplicationView> views) {
    const double* const taken = take(views.back().data);
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
  runner_.copy_to_host(storage_.tasks(), data);
  expect_at_home();
}

void NumericFactor::submit_solve(const HandleSolve& solve) {
  fence_solves_of_arrays();
  if (factor_under_way_) expect_at_home();
  solve_under_way_ = true;
  SolveCache::Entry& solver = solves_.find_beside_tasks(solve.columns);
  if (setup_.runs_here(solve.columns)) return submit_in_one_task(solve, solver);
  submit_between_copies(solve, solver);
}

namespace {

/// Returns the accesses of a task that reads b and writes x, or both if they are the same handle.
/// The first columns overwrite x; later ones keep the columns before them.
std::vector<starpu_data_descr> accesses_of(const NumericFactor::HandleSolve& solve,
                                           starpu_data_handle_t ready) {
  if (solve.b == solve.x) return {{ready, STARPU_RW}, {solve.x, STARPU_RW}};
  return {
      {ready, STARPU_RW}, {solve.b, STARPU_R}, {solve.x, solve.first == 0 ? STARPU_W : STARPU_RW}};
}

void fill_with_nan(const ApplicationView& x, Index n, const NumericFactor::HandleSolve& solve) {
  for (Index j = 0; j < solve.columns; ++j) {
    std::fill_n(x.column(solve.first + j, n), n, std::numeric_limits<double>::quiet_NaN());
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
    solver.tasks.set_vectors({b.column(solve.first, n), x.column(solve.first, n), solve.columns,
                              b.distance, x.distance});
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
    solver.tasks.set_vectors({vectors, vectors, solve.columns});
    for (Index j = 0; j < solve.columns; ++j) {
      std::copy_n(views.back().column(solve.first + j, n), n, vectors + Count{j} * n);
    }
  };
  const auto give = [=, this](std::span<const ApplicationView> views) {
    const ApplicationView& x = views.back();
    if (storage_.context().has_failed()) return fill_with_nan(x, n, solve);
    for (Index j = 0; j < solve.columns; ++j) {
      std::copy_n(vectors + Count{j} * n, n, x.column(solve.first + j, n));
    }
  };
  const std::array reads{starpu_data_descr{ready, STARPU_RW}, starpu_data_descr{solve.b, STARPU_R}};
  const starpu_data_descr writes = accesses_of(solve, ready).back();
  runner_.start(HostTask{"take b", take}, reads);
  const Transfers transfers{solver.tasks.messages(), nullptr};
  runner_.start(solver.tasks.list(), solves_.handles_of(solver), &transfers, Throttle::off);
  runner_.fence(solver.segments.all(), ready);
  runner_.start(HostTask{"give x", give}, std::array{starpu_data_descr{ready, STARPU_RW}, writes});
}

}  // namespace espalier::internal
