// SPDX-License-Identifier: BSD-3-Clause
#include "solver/numeric_factor.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "runtime/starpu/devices.hpp"
#include "solver/entry_map.hpp"

namespace espalier {

namespace {

constexpr double sequential_solve_below = 0.3e-3;  ///< seconds of work that do not pay for tasks

/// Whether to ask at all what it takes to move L to devices. Coprocessors work as fast as CPUs, and
/// with the solve's small tasks they take longer than these (laplace3d:40, 64 vectors: twice as
/// long with one beside a CPU worker); under `fanout` the thresholds of the user decide.
bool may_solve_on_devices(const StarpuInstance& starpu) {
  return starpu.cuda_workers() > 0 || starpu.active_scheduler() == "fanout";
}

}  // namespace

NumericFactor::NumericFactor(const StarpuInstance& starpu, const SymbolicFactor& symbolic,
                             const LowerPattern& pattern, FactorPlan plan, bool deterministic,
                             const KernelCost& cost)
    : starpu_(starpu), symbolic_(symbolic), cost_(cost), plan_(std::move(plan)), runner_(starpu) {
  values_ = Buffer(symbolic.value_begin.back());
  if (starpu.cuda_workers() > 0) pinned_.emplace(values_.span());
  context_.structure = &symbolic_;
  context_.entries = map_entries(pattern, symbolic, starpu.cpu_workers());
  context_.workspace = workspaces(symbolic, plan_.direct ? 1 : starpu.workers());
  tasks_.emplace(symbolic_, plan_.graph, context_,
                 data_in_array(symbolic_, plan_.graph, values_.data()), deterministic);
  if (plan_.offloads) tasks_->make_payloads();
  context_.device_budget.beside_shadows = plan_.device_bytes.beside;
  time_division_.emplace(plan_.graph, starpu.workers());
  const double seconds = cost_.solve(static_cast<double>(symbolic.nnz_l), 1);
  const bool alone = starpu.cpu_workers() == 1 && !plan_.offloads;
  small_ = plan_.direct || seconds < sequential_solve_below;
  // Sums that are divided between blocks have other bits.
  entry_seconds_ = plan_.offloads && !deterministic && may_solve_on_devices(starpu)
                       ? sizeof(double) * seconds_a_byte_to_devices(starpu)
                       : std::numeric_limits<double>::infinity();
  solve_cut_ = small_ || (alone && !deterministic) ? whole_forest(symbolic)
                                                   : cut_for_solve(symbolic, cost_, plan_.workers);
  solve_tree_ = build_solve_tree(symbolic, solve_cut_, solve_tile_entries);
  ready_.emplace(context_, tasks_->list().data);
  if (!plan_.direct) handles();
  Solver& usual = solver_for(1);
  register_pieces(usual);
  for (const MatrixView& piece : usual.tasks.pieces()) {  // so that the first solve finds its pages
    std::fill_n(piece.data, piece.columns, 0.0);
  }
}

NumericFactor::~NumericFactor() { wait(); }

void NumericFactor::submit_factorize(const double* values) {
  wait();
  context_.value = values;
  ++context_.epoch;
  context_.failure.reset();
  context_.clock.restart();
  if (plan_.direct) return runner_.run_here(tasks_->list(), context_.workspace.front());
  factor_under_way_ = true;
  const Transfers discards{plan_.graph.message, nullptr, context_.failure};
  runner_.start(tasks_->list(), handles(), &discards);
  if (plan_.offloads) expect_at_home();
}

void NumericFactor::expect_at_home() {
  runner_.start(ready_->list(), together(ready_handle(), handles()));
  factor_under_way_ = false;
}

std::span<const starpu_data_handle_t> NumericFactor::ready_handle() {
  if (ready_handle_.all().empty()) ready_handle_ = Handles(std::array{ready_->data()});
  return ready_handle_.all();
}

std::span<const starpu_data_handle_t> NumericFactor::handles() {
  if (!handles_) handles_.emplace(tasks_->list().data, MissingMemory::starpu);
  return handles_->all();
}

Index NumericFactor::wait() {
  runner_.wait();
  factor_under_way_ = false;
  solve_under_way_ = false;
  return context_.failure.column();
}

Index NumericFactor::factorize_sequentially(const double* values, const Kernels& kernels) {
  wait();
  context_.value = values;
  ++context_.epoch;
  context_.failure.reset();
  context_.clock.restart();
  Worker worker{kernels, context_.workspace.front()};
  run_sequentially(tasks_->list(), worker);
  return context_.failure.column();
}

NumericFactor::Solver& NumericFactor::solver_for(Index columns) {
  auto& solver = solvers_[columns];
  if (!solver) {
    reserve_vectors(context_.workspace, columns);
    SolveInput input{symbolic_, solve_tree_,    cost_,
                     context_,  values_.data(), symbolic_.permutation.old_of.data()};
    if (devices_solve(columns)) {
      input.tiling = &plan_.graph.tiling;
      input.tiles = std::span(tasks_->list().data).first(input.tiling->tile.size());
    }
    solver.reset(new Solver{{input, *ready_, columns}, {}});
  }
  return *solver;
}

void NumericFactor::register_pieces(Solver& solver) {
  if (solves_here(solver.tasks.columns()) || !solver.pieces.all().empty()) return;
  ready_handle();
  solver.pieces = Handles(solver.tasks.pieces());
}

bool NumericFactor::devices_solve(Index columns) const {
  constexpr double sample = 1e6;  // entries
  const double on_cpus = cost_.solve(sample, columns) / (sample * starpu_.cpu_workers());
  return !small_ && entry_seconds_ < on_cpus;
}

Workspace& NumericFactor::workspace_of_cpu() {
  std::size_t worker = 0;
  while (plan_.offloads && worker + 1 < context_.workspace.size() &&
         starpu_.type_of(static_cast<Index>(worker)) != WorkerType::cpu) {
    ++worker;
  }
  return context_.workspace[worker];
}

std::vector<starpu_data_handle_t> NumericFactor::handles_of(const Solver& solver) {
  auto all = together(solver.pieces.all(), ready_handle());
  if (!devices_solve(solver.tasks.columns())) return all;
  return together(all, handles().first(plan_.graph.tiling.tile.size()));
}

void NumericFactor::submit_solve(const SolveVectors& vectors) {
  const bool here = solves_here(vectors.count);
  if (solve_under_way_ || here) runner_.wait_for_tasks();
  Solver& solver = solver_for(vectors.count);
  solver.tasks.set_vectors(vectors);
  if (here) {
    return runner_.run_here(solver.tasks.list(), workspace_of_cpu());
  }
  register_pieces(solver);
  if (factor_under_way_) runner_.start(ready_->list(), together(ready_handle(), handles()));
  factor_under_way_ = false;
  solve_under_way_ = true;
  runner_.start(solver.tasks.list(), handles_of(solver));
}

FactorHistory::Tally NumericFactor::tally(WorkerType type) const {
  return tally_of(context_, [&](Index worker) {
    return (plan_.offloads ? starpu_.type_of(worker) : WorkerType::cpu) == type;
  });
}

double NumericFactor::offloaded_solve() const {
  double all = 0;
  double there = 0;
  for (const WorkerType type : {WorkerType::cpu, WorkerType::coprocessor, WorkerType::cuda}) {
    const FactorHistory::Tally of_type = tally(type);
    for (const TaskKind kind : {TaskKind::forward, TaskKind::backward}) {
      const double flops = of_type[static_cast<std::size_t>(kind)].flops;
      all += flops;
      if (type != WorkerType::cpu) there += flops;
    }
  }
  return all > 0 ? there / all : 0;
}

void NumericFactor::reset_tally() {
  for (Workspace& workspace : context_.workspace) workspace.tally = {};
}

}  // namespace espalier
