// SPDX-License-Identifier: BSD-3-Clause
#include "solver/rank_factor.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

#include "base/clock.hpp"
#include "base/tuning.hpp"
#include "graph/exchange.hpp"
#include "graph/makespan.hpp"
#include "mapping/domain_cut.hpp"
#include "runtime/rank_data.hpp"
#include "schedulers/halo.hpp"
#include "solver/offloading.hpp"

namespace espalier {

namespace {

Granularity chosen(Granularity requested, Index ranks) {
  if (requested != Granularity::automatic) return requested;
  return ranks < tiles_from ? Granularity::panel : Granularity::tile;
}

/// A tile is a message: with twice the rows of those of one rank there are half as many, and tasks,
/// and memory is as even (laplace3d:50 on 8 ranks, narrower panels: 975 messages for 1454).
FactorOptions completed_for_ranks(const FactorOptions& options) {
  Tuning tuning;
  tuning.tile_rows *= 2;
  return completed(options, tuning);
}

MemoryWindow::Largest largest_groups(const TaskGraph& graph) {
  return {largest_room(graph, Message::Kind::begin), largest_room(graph, Message::Kind::receive)};
}

}  // namespace

TileLimits rank_tiles(const FactorOptions& options, Index ranks) {
  return tile_limits(chosen(options.granularity, ranks), *completed_for_ranks(options).tile_rows);
}

/// A sixth of L costs no time against a tenth for each sort; a seventh costs elasticity3d:20x20x20
/// on two ranks 6 %: there the tiles of one panel cannot arrive while those of another are in use.
Count window_bytes(const RankBytes& kept, const TaskGraph& graph) {
  constexpr double promised = 1.3;
  constexpr double counted = 0.95;  // of all, as the gaps of the heap are not
  const double most = counted * (promised * static_cast<double>(kept.mean_factor) +
                                 2 * static_cast<double>(kept.matrix));
  const auto left = static_cast<Count>(most) - kept.factor - kept.rest;
  const MemoryWindow::Largest largest = largest_groups(graph);
  return std::max(std::min(left, kept.factor / 6), largest.made + largest.received);
}

FactorPlan plan_rank(const LocalStructure& structure, Index workers, const FactorOptions& options,
                     const KernelCost& cost, bool offloads,
                     const std::optional<OffloadOptions>& halo) {
  const FactorOptions complete = completed_for_ranks(options);
  const std::vector<double> block = block_seconds(structure, cost);
  const std::vector<double> seconds = panel_seconds(structure, block);
  const auto shared = seconds.begin() + structure.shared_begin;
  const double domain = std::accumulate(seconds.begin(), shared, 0.0);
  const double part = domain + std::accumulate(shared, seconds.end(), 0.0) / structure.ranks;
  FactorPlan plan;
  plan.workers = options.deterministic ? deterministic_workers : workers;
  plan.granularity = chosen(options.granularity, structure.ranks);
  const double limit = plan.granularity == Granularity::block
                           ? -1.0
                           : part / (*complete.subtrees_per_worker * plan.workers);
  SubtreeCut cut = cut_domain(structure, seconds, limit);
  Tiling tiling = tile_panels(structure, cut, plan.granularity, *complete.tile_rows);
  plan.offloads = offloads;
  KernelCost on_device = cost;
  if (halo) {
    const Stopwatch watch;
    if (halo->costs) on_device = kernels_on(*halo->costs, cost);
    plan.offload =
        plan_offload(structure, cut, cost, on_device, *halo, own_updates(structure, tiling));
    plan.offload->source = halo->source;
    plan.device_costs = halo->costs;
    plan.offload_seconds = watch.seconds();
  }
  plan.graph = build_rank_graph(structure, std::move(cut), std::move(tiling), cost, block,
                                offloads ? Fill::by_tasks : Fill::by_first_writer,
                                plan.offload ? &*plan.offload : nullptr);
  if (halo) {
    join_small_updates(plan.graph, *halo, on_device);
    plan.device_bytes = bytes_on_devices(plan.graph, structure, *halo);
  }
  plan.predicted_seconds = predicted_makespan(plan.graph, plan.workers, cost.overhead());
  return plan;
}

RankFactor::RankFactor(const StarpuInstance& starpu, Messenger& messenger,
                       const LocalStructure& structure, PanelEntries entries, FactorPlan plan,
                       Count window, bool deterministic)
    : structure_(structure),
      messenger_(messenger),
      plan_(std::move(plan)),
      values_(stored_entries(structure_, plan_.graph)),
      window_(window, largest_groups(plan_.graph)),
      runner_(starpu) {
  if (starpu.cuda_workers() > 0) pinned_.emplace(values_.span());
  context_.structure = &structure_;
  context_.entries = std::move(entries);
  context_.workspace = workspaces(structure_, starpu.workers());
  tasks_.emplace(structure_, plan_.graph, context_,
                 data_of_rank(structure_, plan_.graph, values_.data()), deterministic);
  const auto shadows =
      static_cast<std::size_t>(plan_.graph.contribution_data(plan_.graph.first_shadow()));
  handles_ = Handles(data().first(shadows));
  shadows_ = Handles(data().subspan(shadows), MissingMemory::starpu);
  if (plan_.offload) leave_beside_shadows(plan_.device_bytes.beside);
  if (!plan_.offloads) return;
  tasks_->put_in_envelopes();
  home_.emplace(context_, data());
  home_handle_ = Handles(std::array{home_->data()});
}

RankFactor::~RankFactor() { runner_.wait(); }

void RankFactor::submit_factorize(const double* values) {
  runner_.wait();
  context_.value = values;
  ++context_.epoch;
  context_.failure.reset();
  context_.clock.restart();
  const Mail mail{plan_.graph.message, &messenger_, context_.failure, &window_};
  runner_.start(tasks_->list(), together(handles_.all(), shadows_.all()), &mail);
  if (home_) runner_.start(home_->list(), together(home_handle_.all(), handles_.all()));
}

Index RankFactor::wait() {
  runner_.wait();
  constexpr Index none = std::numeric_limits<Index>::max();
  const Index failed = context_.failure.column();
  const Index column = messenger_.least_of_all(failed < 0 ? none : structure_.column[failed]);
  return column == none ? -1 : column;
}

}  // namespace espalier
