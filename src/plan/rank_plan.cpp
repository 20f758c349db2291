// SPDX-License-Identifier: BSD-3-Clause
#include <numeric>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/options.hpp"
#include "graph/exchange.hpp"
#include "plan/makespan.hpp"
#include "plan/offloading.hpp"
#include "plan/plan.hpp"

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

}  // namespace

TileLimits rank_tiles(const FactorOptions& options, Index ranks) {
  return tile_limits(chosen(options.granularity, ranks), *completed_for_ranks(options).tile_rows);
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
    plan.offload = plan_offload(structure, cut, cost, on_device, *halo,
                                own_updates(structure, structure, tiling));
    plan.offload->source = halo->source;
    plan.device_costs = halo->costs;
    plan.offload_seconds = watch.seconds();
  }
  plan.graph = build_factor_graph(structure, structure, std::move(cut), std::move(tiling), cost,
                                  block, offloads ? Fill::by_tasks : Fill::by_first_writer,
                                  plan.offload ? &*plan.offload : nullptr);
  if (halo) {
    join_small_updates(plan.graph, *halo, on_device);
    plan.device_bytes = bytes_on_devices(plan.graph, structure, *halo);
  }
  plan.predicted_seconds = predicted_makespan(plan.graph, plan.workers, cost.overhead());
  return plan;
}

}  // namespace espalier
