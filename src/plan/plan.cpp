// SPDX-License-Identifier: BSD-3-Clause

#include "plan/plan.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/options.hpp"
#include "plan/makespan.hpp"
#include "plan/offloading.hpp"

namespace espalier {

namespace {

constexpr double direct_below = 1.2e-3;  ///< seconds of work that do not pay for StarPU
/// Subtrees a worker where there are fewer: more balance better, fewer leave fewer tasks above
/// them. In small problems the predicted makespan chooses; in large ones the choices are closer
/// than predictions are right.
constexpr double fewer_subtrees[] = {2, 1.25};
constexpr double fewer_below = 20e-3;  ///< seconds of work

/// What all candidates have in common.
struct Costs {
  const KernelCost& kernels;
  std::vector<double> block;  ///< seconds, looked up once
};

struct Candidate {
  TaskGraph graph;
  Granularity granularity;
  double seconds;
  double build_seconds;  ///< that the graph took to build
  std::optional<OffloadPlan> offload;
};

/// Of MDWIN where the host is done sooner without any device.
OffloadPlan all_on_host(const PanelStructure& structure) {
  OffloadPlan plan;
  plan.first.assign(structure.block_begin.begin() + 1, structure.block_begin.end());
  plan.device.assign(structure.panels(), -1);
  return plan;
}

/// MDWIN compares updates alone, while the host has more to do: its updates count so many times, as
/// long as the predicted makespan gets shorter.
constexpr double loads_of_host[] = {1.4, 2, 2.8, 4, 5.6, 8, 11, 16};
/// What devices whose kernels were not measured must be predicted to save for each second that is
/// left: six problems with a coprocessor took up to a tenth longer, compared with the host alone,
/// than predicted.
constexpr double saved_by_guess = 0.1;

/// The papers' own graph has every block as a task: no subtrees.
SubtreeCut no_subtrees(const SymbolicFactor& symbolic) {
  SubtreeCut cut;
  cut.group_of.assign(symbolic.panels(), -1);
  return cut;
}

/// Compares graphs of one structure for one number of workers.
class Planner {
 public:
  Planner(const SymbolicFactor& symbolic, Index workers, const FactorOptions& options,
          const Costs& cost, Fill fill, const std::optional<OffloadOptions>& halo)
      : symbolic_(symbolic),
        workers_(workers),
        options_(options),
        cost_(cost),
        fill_(fill),
        halo_(halo),
        on_device_(halo && halo->costs ? kernels_on(*halo->costs, cost.kernels) : cost.kernels) {}

  Candidate best_granularity(const SubtreeCut& cut) const {
    if (options_.granularity != Granularity::automatic) return with(cut, options_.granularity);
    Candidate best = with(cut, Granularity::panel);
    if (workers_ < tiles_from) return best;
    Candidate tiles = with(cut, Granularity::tile);
    return tiles.seconds < best.seconds ? std::move(tiles) : std::move(best);
  }

  /// The panels take `seconds`, together `total`.
  Candidate best_cut(std::span<const double> seconds, double total) const {
    if (options_.granularity == Granularity::block) return best_granularity(no_subtrees(symbolic_));
    const auto cut_for = [&](double subtrees) {
      return best_granularity(cut_subtrees(symbolic_, seconds, total / (subtrees * workers_)));
    };
    Candidate best = cut_for(*options_.subtrees_per_worker);
    if (total > fewer_below) return best;
    for (const double subtrees : fewer_subtrees) {
      if (subtrees >= *options_.subtrees_per_worker) continue;
      Candidate fewer = cut_for(subtrees);
      if (fewer.seconds < best.seconds) best = std::move(fewer);
    }
    return best;
  }

  /// Of the same cut and granularity.
  Candidate best_load(Candidate best) const {
    for (const double load : loads_of_host) {
      OffloadPlan offload = divided(best.graph.cut, load);
      if (offload.first == best.offload->first) continue;
      Candidate made = with(best.graph.cut, best.granularity, std::move(offload));
      if (made.seconds >= best.seconds) break;
      best = std::move(made);
    }
    return best;
  }

 private:
  Candidate with(const SubtreeCut& cut, Granularity granularity) const {
    if (!halo_) return with(cut, granularity, std::nullopt);
    return with(cut, granularity, divided(cut, 1));
  }

  Candidate with(const SubtreeCut& cut, Granularity granularity,
                 std::optional<OffloadPlan> offload) const {
    const Stopwatch watch;
    Tiling tiling = tile_panels(symbolic_, cut, granularity, *options_.tile_rows);
    Candidate made{build_factor_graph(symbolic_, cut, std::move(tiling), cost_.kernels, cost_.block,
                                      fill_, offload ? &*offload : nullptr),
                   granularity, 0, 0, std::move(offload)};
    if (made.offload) join_small_updates(made.graph, *halo_, on_device_);
    made.build_seconds = watch.seconds();
    made.seconds = makespan(made);
    return made;
  }

  double makespan(const Candidate& made) const {
    const double overhead = cost_.kernels.overhead();
    if (!made.offload || !halo_->costs) return predicted_makespan(made.graph, workers_, overhead);
    const DeviceSide devices{halo_->device_workers, on_device_, *halo_->costs, symbolic_};
    return predicted_makespan(made.graph, halo_->host_workers, overhead, &devices);
  }

  OffloadPlan divided(const SubtreeCut& cut, double load) const {
    OffloadOptions options = *halo_;
    options.load = load;
    return plan_offload(symbolic_, cut, cost_.kernels, on_device_, options);
  }

  const SymbolicFactor& symbolic_;
  Index workers_;
  const FactorOptions& options_;
  const Costs& cost_;
  Fill fill_;
  const std::optional<OffloadOptions>& halo_;
  KernelCost on_device_;
};

}  // namespace

FactorPlan plan_factorization(const SymbolicFactor& symbolic, Index workers,
                              const FactorOptions& options, const KernelCost& kernels,
                              const LevelOptions& levels, bool offloads,
                              const std::optional<OffloadOptions>& halo) {
  const FactorOptions complete = completed(options, Tuning{});
  const Costs cost{kernels, block_seconds(symbolic, kernels)};
  const std::vector<double> seconds = panel_seconds(symbolic, cost.block);
  const double total = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  const Index planned = options.deterministic ? deterministic_workers : workers;
  FactorPlan plan;
  plan.workers = planned;
  const bool chosen = options.granularity != Granularity::automatic;
  plan.direct = !chosen && total < direct_below;
  plan.offloads = offloads && !plan.direct;
  const Stopwatch watch;
  const Planner planner(symbolic, planned, complete, cost,
                        plan.offloads ? Fill::by_tasks : Fill::by_first_writer, halo);
  Candidate best = plan.direct ? planner.best_granularity(whole_forest(symbolic))
                               : planner.best_cut(seconds, total);
  if (!plan.direct && halo && halo->costs && halo->split == OffloadOptions::Split::mdwin) {
    best = planner.best_load(std::move(best));
    const std::optional<OffloadOptions> nothing;
    const Planner host(symbolic, halo->host_workers, complete, cost, Fill::by_first_writer,
                       nothing);
    Candidate alone = host.best_cut(seconds, total);
    const double wanted = halo->costs->measured() ? 0 : saved_by_guess;
    if (alone.seconds <= best.seconds * (1 + wanted)) {
      best = std::move(alone);
      best.offload = all_on_host(symbolic);
      plan.offloads = false;
    }
  }
  plan.graph = std::move(best.graph);
  if (!plan.direct) {
    plan.offload = std::move(best.offload);
    if (plan.offload) {
      plan.offload->source = halo->source;
      plan.device_bytes = bytes_on_devices(plan.graph, symbolic, *halo);
    }
    plan.offload_seconds = watch.seconds() - best.build_seconds;
  }
  if (plan.offload) plan.device_costs = halo->costs;
  plan.granularity = best.granularity;
  plan.predicted_seconds = best.seconds;
  if (!plan.direct) {
    plan.graph.levels = partition_levels(symbolic, plan.graph.cut, seconds, planned, levels);
  }
  return plan;
}

}  // namespace espalier
