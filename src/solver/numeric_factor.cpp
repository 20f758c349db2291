// SPDX-License-Identifier: BSD-3-Clause
#include "solver/numeric_factor.hpp"

#include <algorithm>
#include <utility>

#include "solver/entry_map.hpp"
#include "symbolic/block_structure.hpp"

namespace espalier::internal {

NumericFactor::NumericFactor(const StarpuInstance& starpu, NumericPart given, FactorPlan plan,
                             bool deterministic, const KernelCost& cost,
                             const std::optional<RankExchange>& exchange)
    : storage_(starpu, {given.part, std::move(given.entries)}, std::move(plan), deterministic, cost,
               exchange),
      runner_(starpu),
      own_columns_(given.part.structure.panel_begin[given.part.ownership.shared_begin]),
      setup_(storage_, given.part, given.vector_row, deterministic),
      solves_(storage_, setup_, runner_),
      recorder_(storage_) {}

NumericFactor::NumericFactor(const StarpuInstance& starpu, const SymbolicFactor& symbolic,
                             const PatternView& pattern, FactorPlan plan, bool deterministic,
                             const KernelCost& cost)
    : NumericFactor(starpu,
                    {{symbolic, sole_ownership(symbolic)},
                     map_entries(pattern, symbolic, starpu.cpu_workers()),
                     symbolic.permutation.old_of},
                    std::move(plan), deterministic, cost) {}

NumericFactor::~NumericFactor() { end_all(); }

void NumericFactor::begin(const double* values) {
  wait();
  open(values);
}

void NumericFactor::set_signs(std::vector<double> signs,
                              const std::array<double, 4>& regularization,
                              std::function<double(double)> largest_of_all) {
  wait();
  largest_of_all_ = std::move(largest_of_all);
  PivotSigns& to = storage_.context().signs;
  to.replaced.assign(signs.size(), 0);
  to.sign = std::move(signs);
  to.chosen = {};
  to.least = regularization[2];
  to.replacement = regularization[3];
  regularization_ = regularization;
}

void NumericFactor::choose_pivots() {
  wait();
  largest_of_all_ = nullptr;
  PivotSigns& to = storage_.context().signs;
  const auto n = static_cast<std::size_t>(storage_.structure().n);
  const bool in_tiles = to.in_tiles;
  to = {};
  to.in_tiles = in_tiles;
  to.sign.assign(n, 1.0);
  to.replaced.resize(n);
  to.chosen.swap.resize(n);
  to.chosen.rotation.resize(n);
  to.chosen.weak.resize(n);
  to.chosen.inner.resize(n);
  to.chosen.known_signs.resize(n);
  to.chosen.known_swaps.resize(n);
  to.chosen.shared_begin = in_tiles ? 0 : own_columns_;
  const PanelStructure& structure = storage_.structure();
  for (Index p = 0; p < structure.panels(); ++p) {
    const std::uint8_t is_inner = structure.height(p) > structure.width(p) ? 1 : 0;
    std::fill_n(to.chosen.inner.begin() + structure.panel_begin[p], structure.width(p), is_inner);
  }
}

void NumericFactor::prepare_signs() {
  const FactorContext& context = storage_.context();
  PivotSigns& signs = storage_.context().signs;
  std::ranges::fill(signs.replaced, 0);
  const auto& [constant, proportional, least, replacement] = regularization_;
  signs.shift = constant;
  if (proportional == 0) return;
  // A rank without entries may have no array of values, but takes part in the comparison.
  const double own = context.value == nullptr
                         ? 0
                         : largest_diagonal(*context.structure, context.entries, context.value);
  signs.shift += proportional * largest_of_all_(own);
}

void NumericFactor::open(const double* values) {
  FactorContext& context = storage_.context();
  context.value = values;
  if (has_signs()) prepare_signs();
  context.signs.chosen.forget();
  context.signs.chosen.leaves_out = std::exchange(leaves_out_, false);
  ++context.epoch;
  context.failure.reset();
  context.clock.restart();
  for (Workspace& workspace : context.workspace) workspace.free_since = 0;
}

void NumericFactor::submit_factorize(const double* values) {
  begin(values);
  const TaskList& tasks = storage_.tasks();
  FactorContext& context = storage_.context();
  if (plan().direct) return runner_.run_here(tasks, *context.kernels, context.workspace.front());
  if (storage_.run() != nullptr) return runner_.start(*storage_.run());
  storage_.wait_for_pinned();
  factor_under_way_ = true;
  recorder_.start_copies();
  const Transfers transfers = storage_.transfers();
  runner_.start(tasks, storage_.handles(), &transfers);
  if (!plan().offloads) return;
  if (storage_.engine() == nullptr) runner_.copy_to_host(tasks, storage_.handles());
  expect_at_home();
}

void NumericFactor::expect_at_home() {
  runner_.start(storage_.ready().list(), together(storage_.ready_handle(), storage_.handles()));
  factor_under_way_ = false;
}

void NumericFactor::end_all() {
  runner_.wait();
  recorder_.stop_copies();
  handles_under_way_ = false;
  factor_under_way_ = false;
  solve_under_way_ = false;
  reads_arrays_ = false;
}

Index NumericFactor::wait() {
  end_all();
  runner_.expect_complete_runs();
  return failed_column();
}

Index NumericFactor::factorize_sequentially(const double* values, const Kernels& kernels) {
  begin(values);
  Worker worker{kernels, storage_.context().workspace.front()};
  run_sequentially(storage_.tasks(), worker);
  return storage_.context().failure.column();
}

Workspace& NumericFactor::workspace_of_cpu() {
  std::vector<Workspace>& workspaces = storage_.context().workspace;
  std::size_t worker = 0;
  while (plan().offloads && worker + 1 < workspaces.size() &&
         storage_.starpu().type_of(static_cast<Index>(worker)) != WorkerType::cpu) {
    ++worker;
  }
  return workspaces[worker];
}

SolveVectors NumericFactor::with_scale(SolveVectors vectors) const {
  if (!scale_.empty()) vectors.scale_b = vectors.scale_x = scale_.data();
  return vectors;
}

void NumericFactor::submit_solve(const SolveVectors& vectors, SolvePart part) {
  const bool here = setup_.runs_here(vectors.count);
  if (solve_under_way_ || here) runner_.wait_for_tasks();
  SolveCache::Entry& solver = solves_.find(vectors.count, part);
  solver.tasks.set_vectors(with_scale(vectors));
  const TaskList& tasks = solver.tasks.list();
  if (here) return runner_.run_here(tasks, *storage_.context().kernels, workspace_of_cpu());
  solve_under_way_ = true;
  if (solver.run && !handles_under_way_) return runner_.start(*solver.run);
  solves_.prepare(solver);
  if (factor_under_way_) expect_at_home();
  reads_arrays_ = true;
  const Transfers transfers = storage_.transfers_of(solver.tasks.messages());
  runner_.start(tasks, solves_.handles_of(solver), &transfers);
}

}  // namespace espalier::internal
