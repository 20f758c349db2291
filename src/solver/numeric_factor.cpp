// SPDX-License-Identifier: BSD-3-Clause
#include "solver/numeric_factor.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

#include "base/scalar.hpp"
#include "plan/device_seconds.hpp"
#include "plan/memory.hpp"
#include "plan/tuned.hpp"
#include "runtime/starpu/devices.hpp"
#include "solver/entry_map.hpp"
#include "solver/refinement.hpp"
#include "symbolic/block_structure.hpp"

namespace espalier::internal {

namespace {

/// Returns whether to ask at all what it takes to move L to devices. Coprocessors work as fast as
/// CPUs, and with the solve's small tasks they take longer than these (laplace3d:40, 64 vectors:
/// twice as long with one beside a CPU worker). If the policy has thresholds, these decide.
bool may_solve_on_devices(const StarpuInstance& starpu) {
  return starpu.cuda_workers() > 0 || starpu.policy_traits().devices == DeviceUse::threshold;
}

}  // namespace

NumericFactor::NumericFactor(const StarpuInstance& starpu, NumericPart given, FactorPlan plan,
                             bool deterministic, const KernelCost& cost,
                             const std::optional<RankExchange>& exchange)
    : starpu_(starpu),
      structure_(given.part.structure),
      engine_(exchange ? &exchange->engine : nullptr),
      cost_(cost),
      plan_(std::move(plan)),
      values_(stored_entries(given.part, plan_.graph)),
      vector_row_(given.vector_row),
      runner_(starpu) {
  if (exchange) window_.emplace(exchange->window, largest_groups(plan_.graph));
  context_.entries = std::move(given.entries);
  allocate_factor(given.part, deterministic);
  prepare_solves(given.part, deterministic);
}

NumericFactor::NumericFactor(const StarpuInstance& starpu, const SymbolicFactor& symbolic,
                             const PatternView& pattern, FactorPlan plan, bool deterministic,
                             const KernelCost& cost)
    : NumericFactor(starpu,
                    {{symbolic, sole_ownership(symbolic)},
                     map_entries(pattern, symbolic, starpu.cpu_workers()),
                     symbolic.permutation.old_of},
                    std::move(plan), deterministic, cost) {}

void NumericFactor::allocate_factor(const PartView& part, bool deterministic) {
  if (starpu_.cuda_workers() > 0 && plan_.offloads) pin_memory();
  context_.structure = &structure_;
  context_.workspace = workspaces(structure_, plan_.direct ? 1 : starpu_.workers());
  tasks_.emplace(structure_, plan_.graph, context_,
                 data_in_array(part, plan_.graph, values_.data()), deterministic);
  tasks_->count_blocks_of_rank(part.ownership);
  if (plan_.offloads) {
    if (plan_.alternates) tasks_->alternate_sides();
    device_seconds_.emplace(*starpu_.costs().devices.table, cost_);
    tasks_->make_payloads(*device_seconds_);
    copy_messages();
    if (engine_) expect_on_devices(tasks_->list(), starpu_, plan_.graph.message);
  }
  context_.device_budget.beside_shadows = plan_.device_bytes.beside;
  if (!engine_) time_division_.emplace(plan_.graph, starpu_.workers());
  ready_.emplace(context_, data());
  if (!plan_.direct) handles();
}

void NumericFactor::pin_memory() {
  const Index threads = starpu_.cpu_workers();
  pinned_.emplace_back(outside_of_groups(structure_, plan_.graph, values_.span()), threads);
  if (!window_) return;
  const std::span<double> memory = window_->memory();
  pinned_.emplace_back(std::vector{memory.first(std::min(memory.size(), values_.span().size()))},
                       threads);
}

void NumericFactor::copy_messages() {
  if (starpu_.cuda_workers() == 0) return;
  device_messages_.emplace(tasks_->list().payloads->with_lists());
  context_.messages = device_messages_->memory();
  const bool is_copied = std::ranges::any_of(
      context_.messages.there, [](const std::byte* there) { return there != nullptr; });
  const Count bytes = is_copied ? std::ssize(context_.messages.here) : 0;
  plan_.device_bytes.most += bytes;
  plan_.device_bytes.beside = std::max(plan_.device_bytes.beside - bytes, Count{0});
}

void NumericFactor::prepare_solves(const PartView& part, bool deterministic) {
  const std::vector<double> by_panel = solve_seconds(structure_, cost_);
  const double seconds = std::accumulate(by_panel.begin(), by_panel.end(), 0.0);
  const bool alone = !engine_ && starpu_.cpu_workers() == 1 && !plan_.offloads;
  small_ = !engine_ && (plan_.direct || seconds < tuned_constants.direct_solve_below);
  // Sums that are divided between blocks have other bits.
  entry_seconds_ = plan_.offloads && !deterministic && may_solve_on_devices(starpu_)
                       ? static_cast<double>(scalar.bytes) * seconds_a_byte_to_devices(starpu_)
                       : std::numeric_limits<double>::infinity();
  solve_cut_ = small_ || (alone && !deterministic) ? whole_forest(structure_)
                                                   : cut_for_solve(part, cost_, plan_.workers);
  solve_tree_ = build_solve_tree(part, solve_cut_, solve_tile_entries);
  if (engine_) shared_ = build_shared_solve(part, plan_.graph.tiling, solve_tile_entries);
  if (vector_row_.empty()) vector_row_ = order_of_l();
  usual_solver_ = made_solver(usual);
  register_pieces(*usual_solver_);
  // So that the first solve finds its pages.
  for (const MatrixView& piece : usual_solver_->tasks.pieces()) fill_zero(piece);
}

const std::vector<Index>& NumericFactor::order_of_l() {
  if (identity_.empty()) {
    identity_.resize(static_cast<std::size_t>(structure_.n));
    std::iota(identity_.begin(), identity_.end(), 0);
  }
  return identity_;
}

NumericFactor::~NumericFactor() { wait(); }

void NumericFactor::begin(const double* values) {
  wait();
  context_.value = values;
  ++context_.epoch;
  context_.failure.reset();
  context_.clock.restart();
  for (Workspace& workspace : context_.workspace) workspace.free_since = 0;
}

void NumericFactor::submit_factorize(const double* values) {
  begin(values);
  if (plan_.direct)
    return runner_.run_here(tasks_->list(), *context_.kernels, context_.workspace.front());
  for (PinnedMemory& pinned : pinned_) pinned.wait();
  factor_under_way_ = true;
  const Transfers transfers{plan_.graph.message, engine_, window_ ? &*window_ : nullptr,
                            &context_.failure};
  if (plan_.offloads) copies_.start();
  runner_.start(tasks_->list(), handles(), &transfers);
  if (!plan_.offloads) return;
  if (!engine_) runner_.bring_home(tasks_->list(), handles());
  expect_at_home();
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
  if (handles_.all().empty()) {
    const TaskGraph& graph = plan_.graph;
    const auto shadows = static_cast<std::size_t>(graph.contribution_data(graph.first_shadow()));
    handles_ = Handles(data().first(shadows));
    handles_.append(data().subspan(shadows), MissingMemory::starpu);
  }
  return handles_.all();
}

Index NumericFactor::wait() {
  runner_.wait();
  if (plan_.offloads) copies_.stop();
  factor_under_way_ = false;
  solve_under_way_ = false;
  return context_.failure.column();
}

Index NumericFactor::factorize_sequentially(const double* values, const Kernels& kernels) {
  begin(values);
  Worker worker{kernels, context_.workspace.front()};
  run_sequentially(tasks_->list(), worker);
  return context_.failure.column();
}

std::unique_ptr<NumericFactor::Solver> NumericFactor::made_solver(SolverKey key) {
  const auto [columns, part] = key;
  reserved_columns_ = std::max(reserved_columns_, columns);
  reserve_vectors(context_.workspace, reserved_columns_);
  const Index* const rows = part == SolvePart::both ? vector_row_.data() : order_of_l().data();
  SolveInput input{structure_, solve_tree_, cost_, context_, values_.data(), rows};
  input.part = part;
  input.tiles = data().first(plan_.graph.tiling.tile.size());
  if (shared_) input.shared = &*shared_;
  if (devices_solve(columns)) {
    input.tiling = &plan_.graph.tiling;
    input.device = &*device_seconds_;
  }
  return std::unique_ptr<Solver>(new Solver{part, {input, *ready_, columns}, {}});
}

NumericFactor::Solver& NumericFactor::solver_for(SolverKey key) {
  if (key == usual) return *usual_solver_;
  const auto known = std::ranges::find(solvers_, key, [](const auto& s) { return key_of(*s); });
  if (known != solvers_.end()) {
    std::rotate(known, known + 1, solvers_.end());
  } else {
    make_room_for({key.columns, key.columns, key.part}, std::numeric_limits<Count>::max());
    solvers_.push_back(made_solver(key));
  }
  return *solvers_.back();
}

std::vector<NumericFactor::SolverKey> NumericFactor::used_by(const SolveBlocks& blocks) {
  std::vector<SolverKey> keys{{blocks.columns, blocks.part},
                              {blocks.count % blocks.columns, blocks.part}};
  std::erase_if(keys, [](const SolverKey& key) { return key == usual || key.columns == 0; });
  return keys;
}

Count NumericFactor::workspace_bytes() const {
  Count rows = 0;
  for (const Workspace& workspace : context_.workspace) rows += std::ssize(workspace.row_map);
  return scalar.bytes_of(rows);
}

Count NumericFactor::solver_bytes(Index columns) const {
  Count rows = shared_ ? shared_->total_rows : 0;
  for (const auto& node : solve_tree_.node) rows += node.front_rows();
  const SolveTasks& tasks = usual_solver_->tasks;
  return scalar.bytes_of(rows * columns) + tasks.task_bytes() +
         bytes_of_handles(std::ssize(tasks.pieces()));
}

Count NumericFactor::solve_bytes(const SolveBlocks& blocks) const {
  Count bytes = (blocks.columns - 1) * workspace_bytes();
  for (const SolverKey& key : used_by(blocks)) bytes += solver_bytes(key.columns);
  if (blocks.part != SolvePart::both) bytes += structure_.n * static_cast<Count>(sizeof(Index));
  return bytes;
}

Count NumericFactor::kept_solve_bytes() const {
  Count bytes = (reserved_columns_ - 1) * workspace_bytes();
  for (const auto& solver : solvers_) bytes += solver_bytes(solver->tasks.columns());
  return bytes;
}

Count NumericFactor::make_room_for(const SolveBlocks& blocks, Count room) {
  const Count needed = solve_bytes(blocks);
  const std::vector<SolverKey> used = used_by(blocks);
  Count others = 0;
  const auto is_other = [&](const std::unique_ptr<Solver>& solver) {
    return std::ranges::find(used, key_of(*solver)) == used.end();
  };
  for (const auto& solver : solvers_) {
    if (is_other(solver)) others += solver_bytes(solver->tasks.columns());
  }
  const Count most = std::min(room, solve_bytes({2 * most_columns - 1, most_columns, blocks.part}));
  while (others > 0 && needed + others > most) {
    const auto oldest = std::ranges::find_if(solvers_, is_other);
    others -= solver_bytes((*oldest)->tasks.columns());
    forget(std::move(*oldest));
    solvers_.erase(oldest);
    if (others == 0 || needed + others <= most) return_freed_memory();
  }
  const Count unused = std::max(reserved_columns_ - blocks.columns, 0) * workspace_bytes();
  if (unused == 0 || needed + others + unused <= room) return needed + others + unused;
  runner_.wait_for_tasks();
  reserved_columns_ = blocks.columns;
  release_vectors(context_.workspace, reserved_columns_);
  return needed + others;
}

void NumericFactor::forget(std::unique_ptr<Solver> solver) {
  runner_.wait_for_tasks();
  for (auto& [memory, device] : context_.device_budget.on_device) {
    for (const starpu_data_handle_t piece : solver->pieces.all()) device.forget(piece);
  }
}

void NumericFactor::register_pieces(Solver& solver) {
  if (solves_here(solver.tasks.columns()) || !solver.pieces.all().empty()) return;
  ready_handle();
  solver.pieces = Handles(solver.tasks.pieces());
}

void NumericFactor::pin_pieces(Solver& solver) {
  const bool again = std::exchange(solver.has_run, true);
  if (!again || !solver.pinned.empty()) return;
  if (starpu_.cuda_workers() == 0 || !devices_solve(solver.tasks.columns())) return;
  for (const std::span<double> memory : solver.tasks.memory()) {
    solver.pinned.emplace_back(std::vector{memory}).wait();
  }
}

bool NumericFactor::devices_solve(Index columns) const {
  constexpr double sample = 1e6;  // entries
  const double on_cpus = cost_.solve(sample, 0, columns) / (sample * starpu_.cpu_workers());
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

void NumericFactor::submit(const SolveVectors& vectors, SolvePart part) {
  const bool here = solves_here(vectors.count);
  if (solve_under_way_ || here) runner_.wait_for_tasks();
  Solver& solver = solver_for({vectors.count, part});
  solver.tasks.set_vectors(vectors);
  if (here) {
    return runner_.run_here(solver.tasks.list(), *context_.kernels, workspace_of_cpu());
  }
  register_pieces(solver);
  pin_pieces(solver);
  if (factor_under_way_) expect_at_home();
  solve_under_way_ = true;
  const Transfers transfers{solver.tasks.messages(), engine_};
  runner_.start(solver.tasks.list(), handles_of(solver), &transfers);
}

FactorHistory::Tally NumericFactor::tally(WorkerType type) const {
  return tally_of(context_, [&](Index worker) {
    return (plan_.offloads ? starpu_.type_of(worker) : WorkerType::cpu) == type;
  });
}

void NumericFactor::reset_solve_tally() {
  for (Workspace& workspace : context_.workspace) {
    for (const TaskKind kind : {TaskKind::forward, TaskKind::backward}) {
      workspace.tally[static_cast<std::size_t>(kind)] = {};
    }
  }
}

void NumericFactor::add_solves_to(FactorHistory& history) const {
  history.solves = {solves_in(tally(WorkerType::cpu)), solves_in(tally(WorkerType::coprocessor)),
                    solves_in(tally(WorkerType::cuda))};
}

std::vector<CopyRun> NumericFactor::factor_copies() const {
  std::vector<CopyRun> copies = copies_.copies();
  for (CopyRun& copy : copies) {
    copy.begin -= context_.clock.begin();
    copy.end -= context_.clock.begin();
  }
  return copies;
}

WorkerTime NumericFactor::worker_time(double seconds) {
  return time_division_->of(factor_tasks(), seconds);
}

void NumericFactor::reset_tally() {
  for (Workspace& workspace : context_.workspace) workspace.tally = {};
  starpu_.take_device_traffic();
}

void NumericFactor::add_run_to(FactorHistory& history, double seconds) {
  if (history.add_run(seconds)) {
    history.fastest = tally(WorkerType::cpu);
    history.fastest_coprocessor = tally(WorkerType::coprocessor);
    history.fastest_cuda = tally(WorkerType::cuda);
    history.fastest_queues = queues_of(factor_tasks());
    history.fastest_queue_sizes = queue_sizes(factor_tasks(), context_.clock.begin(), seconds);
    history.fastest_traffic = starpu_.take_device_traffic();
    if (!engine_) history.fastest_time = worker_time(seconds);
  }
  note_peak(history.memory, "factor");
}

}  // namespace espalier::internal
