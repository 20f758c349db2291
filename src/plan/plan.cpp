// SPDX-License-Identifier: BSD-3-Clause

#include "plan/plan.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/options.hpp"
#include "graph/exchange.hpp"
#include "graph/joined_updates.hpp"
#include "plan/makespan.hpp"
#include "plan/offloading.hpp"

namespace espalier::internal {

namespace {

constexpr double direct_below = 1.2e-3;  ///< seconds of work that do not pay for StarPU
/// Subtrees a worker where there are fewer: more balance better, fewer leave fewer tasks above
/// them. In small problems the predicted makespan chooses; in large ones the choices are closer
/// than predictions are right.
constexpr double fewer_subtrees[] = {2, 1.25};
constexpr double small_below = 20e-3;  ///< seconds of work
/// Least subtrees a worker beside devices with so many times the rate of a core, which take most of
/// what is above them: the subtrees are all of the CPUs' work then, and 16 of them on 15 workers
/// two rounds. Really, with 20 instead of 3, an H200 and 15 cores took 0.31 s under dmdas instead
/// of 0.43 s for laplace3d:80. There are twice as many as long as that is predicted to save so
/// much: beside four devices of the simulated h100-8 and 16 workers elasticity3d:60 has 1536, where
/// 768 take 1.2 times as long. With less to save, 0.05 or 0.03, laplace3d:80 and elasticity3d:40
/// take 1.03 to 1.16 times as long there.
constexpr Index subtrees_beside_devices = 12;
constexpr Index most_beside_devices = 3072;
constexpr double saved_by_more = 0.08;
constexpr double much_faster = 4;
/// Rows of tiles that are also tried where the user chose none and so many workers are to find
/// tasks. On 64 simulated cores laplace3d:50 took 66.7 ms with 512 rows and 45.9 ms with 128; few
/// workers have tasks enough, and planning would take longer.
constexpr std::array<Index, 2> finer_rows{256, 128};
constexpr Index finer_from = 16;

/// MDWIN compares updates alone, while the host has more to do: its updates count so many times, as
/// long as the predicted makespan gets shorter.
constexpr double loads_of_host[] = {1.4, 2, 2.8, 4, 5.6, 8, 11, 16};
/// What the work and the longest path take with devices has no overhead of tasks on the host, of
/// which so much counts, for all tasks and spread over its workers.
constexpr double counted_overhead = 0.8;
/// What devices must be predicted to save for each second that is left. Where their kernels were
/// not measured, six problems with a coprocessor took up to a tenth longer, compared with the host
/// alone, than predicted.
constexpr double least_saved = 0.1;
/// And beside that the latencies of so many copies each way, since what is predicted has no copies
/// on the longest path. Of 30 problems, up to laplace2d:1000, laplace3d:40 and irregular2d:1000000,
/// with 1, 2 and 4 devices of the simulated h100-8, h200-1, perlmutter and sirocco, none takes more
/// than 1.08 times as long as on the host alone; without both of these margins 1.45 times.
constexpr double copies_of_path = 15;

/// No plan for the host alone is predicted to take less of the time that all blocks together take
/// on its workers, of which tasks have several. To know that saves more than half of the planning
/// beside devices (0.46 s for elasticity3d:60).
constexpr double least_share = 0.5;

/// What one process factors, and what that costs it.
struct Part {
  Part(const PanelStructure& s, const Ownership& o, bool decides, const KernelCost& cost)
      : structure(s),
        ownership(o),
        alone(decides),
        kernels(cost),
        block(block_seconds(s, cost)),
        panel(panel_seconds(s, block)),
        path(path_seconds(s, cost)) {
    const auto shared = panel.begin() + ownership.shared_begin;
    total = std::accumulate(panel.begin(), shared, 0.0) +
            std::accumulate(shared, panel.end(), 0.0) / ownership.ranks;
    std::fill(shared, panel.end(), std::numeric_limits<double>::infinity());
  }

  const Part& for_host() const { return in_host_panels != nullptr ? *in_host_panels : *this; }

  const PanelStructure& structure;
  const Ownership& ownership;
  bool alone;  ///< chooses the granularity by what it predicts; ranks, which would come to
               ///< different results, by rules that are the same for all of them
  const KernelCost& kernels;
  std::vector<double> block;  ///< seconds, looked up once
  std::vector<double> panel;  ///< seconds; of shared ones, which are above any cut, infinite
  std::vector<double> path;   ///< seconds that panels above a cut add to the longest path
  double total;               ///< seconds of the domain, and of its share of the shared panels
  const Part* in_host_panels = nullptr;  ///< the same where its panels are for devices
};

struct Candidate {
  TaskGraph graph;
  Granularity granularity;
  double seconds;
  double build_seconds;  ///< what building the graph took
  std::optional<OffloadPlan> offload;
};

/// Returns what is left of MDWIN where the host is done sooner without any device.
OffloadPlan all_on_host(const PanelStructure& structure) {
  OffloadPlan plan;
  plan.first.assign(structure.block_begin.begin() + 1, structure.block_begin.end());
  plan.device.assign(structure.panels(), -1);
  return plan;
}

/// What the user has not chosen.
struct OpenChoices {
  std::span<const Index> finer{};  ///< rows of tiles to try, each only where the one before paid
  bool subtrees = false;           ///< how many a worker has
};

/// Makes and compares graphs of one part for one number of workers.
class Planner {
 public:
  Planner(const Part& part, Index workers, const FactorOptions& options, Fill fill,
          const std::optional<OffloadOptions>& halo, const OpenChoices& open,
          const std::optional<AnyTaskDevices>& devices = std::nullopt)
      : part_(part),
        structure_(part.structure),
        workers_(workers),
        options_(options),
        fill_(fill),
        halo_(halo),
        open_(open),
        on_device_(halo && halo->costs ? kernels_on(*halo->costs, part.kernels) : part.kernels),
        devices_(devices) {
    if (devices_) device_seconds_.emplace(*devices_->costs, part.kernels);
  }

  Candidate best_granularity(const SubtreeCut& cut) const {
    if (options_.granularity != Granularity::automatic) return with(cut, options_.granularity);
    Candidate best = with(cut, Granularity::panel);
    if (workers_ < tiles_from) return best;
    Candidate tiles = with(cut, Granularity::tile);
    if (tiles.seconds < best.seconds) best = std::move(tiles);
    for (const Index rows : open_.finer) {
      Candidate finer = with(cut, Granularity::tile, rows);
      if (finer.seconds >= best.seconds) break;
      best = std::move(finer);
    }
    return best;
  }

  Candidate best_cut() const {
    const bool small = part_.total <= small_below;
    const bool more = !small && open_.subtrees && has_fast_devices();
    Candidate best =
        best_granularity(more ? cut_beside_devices() : cut(*options_.subtrees_per_worker));
    if (!part_.alone || !small || has_no_subtrees()) return best;
    for (const double subtrees : fewer_subtrees) {
      if (subtrees >= *options_.subtrees_per_worker) continue;
      Candidate fewer = best_granularity(cut(subtrees));
      if (fewer.seconds < best.seconds) best = std::move(fewer);
    }
    return best;
  }

  /// By costs that are known of the devices.
  bool is_by_mdwin() const {
    return halo_ && halo_->costs && halo_->division.rule == HaloDivision::Rule::mdwin;
  }

  /// Keeps cut and granularity.
  Candidate best_load(Candidate best) const {
    for (const double load : loads_of_host) {
      OffloadPlan offload = divided(best.graph.cut, best.graph.tiling, load);
      if (offload.first == best.offload->first) continue;
      Candidate made =
          built(best.graph.cut, best.graph.tiling, best.granularity, std::move(offload));
      if (made.seconds >= best.seconds) break;
      best = std::move(made);
    }
    return best;
  }

  /// Returns the best graph without devices, where they may be idle and it is predicted to be done
  /// no later than `best`, or hardly later, but under MDWIN with measured kernels.
  std::optional<Candidate> host_alone(const Candidate& best) const {
    if (is_by_mdwin()) {
      const double saved = halo_->costs->measured() ? 0 : least_saved;
      return alone_before(best.seconds * (1 + saved), halo_->host_workers);
    }
    const bool chosen = options_.granularity != Granularity::automatic;
    if (!devices_ || !devices_->may_be_idle || chosen) return {};
    const Index cpus = cpus_beside_devices();
    const double overhead = counted_overhead * part_.kernels.overhead() * best.graph.size() / cpus;
    const double seconds =
        std::min(beside_devices(best.graph), most_seconds(best.graph) + overhead);
    const double copies = devices_->costs->to.latency + devices_->costs->back.latency;
    return alone_before(seconds * (1 + least_saved) + copies_of_path * copies, cpus);
  }

 private:
  std::optional<Candidate> alone_before(double most, Index cpus) const {
    const Part& host = part_.for_host();
    if (least_share * host.total / cpus > most) return {};
    const std::optional<OffloadOptions> nothing;
    OpenChoices open = open_;
    if (cpus < finer_from) open.finer = {};
    Candidate alone =
        Planner(host, cpus, options_, Fill::by_first_writer, nothing, open).best_cut();
    if (alone.seconds > most) return {};
    if (halo_) alone.offload = all_on_host(structure_);
    return alone;
  }

  Index cpus_beside_devices() const { return std::max(workers_ - devices_->processors, 1); }

  /// Returns the predicted makespan where the devices run all but subtrees.
  double beside_devices(const TaskGraph& graph) const {
    const DeviceSide side = device_side();
    return predicted_makespan(graph, cpus_beside_devices(), part_.kernels.overhead(), &side);
  }

  DeviceSide device_side() const {
    return {devices_->processors, on_device_, *devices_->costs, structure_, &*device_seconds_};
  }

  /// The papers' own graph has every block as a task.
  bool has_no_subtrees() const { return options_.granularity == Granularity::block; }

  /// By the product of a usual update.
  bool has_fast_devices() const {
    if (!devices_) return false;
    const auto seconds = [](const KernelCost& kernels) { return kernels.product(512, 256, 256); };
    return much_faster * seconds(kernels_on(*devices_->costs, part_.kernels)) <
           seconds(part_.kernels);
  }

  /// More subtrees leave less to the CPUs and shorter paths, and give devices more and smaller
  /// tasks.
  SubtreeCut cut_beside_devices() const {
    Index subtrees = subtrees_beside_devices;
    SubtreeCut best = cut(subtrees);
    double least = most_seconds(panels_above(best));
    for (subtrees *= 2; subtrees <= most_beside_devices; subtrees *= 2) {
      SubtreeCut more = cut(subtrees);
      const double seconds = most_seconds(panels_above(more));
      if (seconds > least * (1 - saved_by_more)) break;
      best = std::move(more);
      least = seconds;
    }
    return best;
  }

  /// Returns the sum of what all workers and what the longest path take at least: with equal
  /// workers no list schedule takes more (Graham, "Bounds on multiprocessing timing anomalies",
  /// 1969). It tells cuts apart better than the list schedule of predicted_makespan(), whose
  /// devices do all that they can.
  double most_seconds(const TaskGraph& graph) const {
    return least_seconds(graph, cpus_beside_devices(), device_side()) +
           least_path_seconds(graph, device_side());
  }

  TaskGraph panels_above(const SubtreeCut& cut) const {
    Tiling panels = tile_panels(structure_, cut, Granularity::panel, *options_.tile_rows);
    return build_factor_graph(structure_, part_.ownership, cut, std::move(panels), part_.kernels,
                              part_.block, fill_);
  }

  SubtreeCut cut(double subtrees) const {
    if (has_no_subtrees()) return cut_subtrees(structure_, part_.panel, -1);
    const double limit = part_.total / (subtrees * workers_);
    return cut_subtrees(structure_, part_.panel, limit, part_.path);
  }

  Candidate with(const SubtreeCut& cut, Granularity granularity) const {
    return with(cut, granularity, *options_.tile_rows);
  }

  Candidate with(const SubtreeCut& cut, Granularity granularity, Index tile_rows) const {
    Tiling tiling = tile_panels(structure_, cut, granularity, tile_rows);
    std::optional<OffloadPlan> offload;
    if (halo_) offload = divided(cut, tiling, 1);
    return built(cut, std::move(tiling), granularity, std::move(offload));
  }

  OffloadPlan divided(const SubtreeCut& cut, const Tiling& tiling, double load) const {
    OffloadOptions options = *halo_;
    options.load = load;
    return plan_offload(structure_, cut, part_.kernels, on_device_, options,
                        own_updates(structure_, part_.ownership, tiling));
  }

  Candidate built(const SubtreeCut& cut, Tiling tiling, Granularity granularity,
                  std::optional<OffloadPlan> offload) const {
    const Stopwatch watch;
    Candidate made{
        build_factor_graph(structure_, part_.ownership, cut, std::move(tiling), part_.kernels,
                           part_.block, fill_, offload ? &*offload : nullptr),
        granularity, 0, 0, std::move(offload)};
    if (made.offload) join_small_updates(made.graph, *halo_, on_device_);
    made.build_seconds = watch.seconds();
    made.seconds = makespan(made);
    return made;
  }

  /// Messages of ranks take no time here. Devices that may take any task count as a CPU each, as
  /// `workers` does, or by their costs.
  double makespan(const Candidate& made) const {
    const double overhead = part_.kernels.overhead();
    if (!made.offload || !halo_->costs) {
      const double alike = predicted_makespan(made.graph, workers_, overhead);
      return device_seconds_ ? std::min(alike, beside_devices(made.graph)) : alike;
    }
    const DeviceSide devices{halo_->device_processors, on_device_, *halo_->costs, structure_};
    return predicted_makespan(made.graph, halo_->host_workers, overhead, &devices);
  }

  const Part& part_;
  const PanelStructure& structure_;
  Index workers_;
  const FactorOptions& options_;
  Fill fill_;
  const std::optional<OffloadOptions>& halo_;
  OpenChoices open_;
  KernelCost on_device_;
  const std::optional<AnyTaskDevices>& devices_;
  std::optional<DeviceSeconds> device_seconds_;  ///< of these
};

/// Whether the calling thread is to run all tasks.
bool is_direct(const Part& part, const FactorOptions& options) {
  const bool chosen = options.granularity != Granularity::automatic;
  return part.alone && !chosen && part.total < direct_below;
}

/// Returns the plan of a part with options that leave nothing empty.
FactorPlan plan_part(const Part& part, Index workers, const FactorOptions& options,
                     const PolicyNeeds& needs, bool offloads,
                     const std::optional<OffloadOptions>& halo, const OpenChoices& open,
                     const std::optional<AnyTaskDevices>& devices = std::nullopt) {
  FactorPlan plan;
  plan.workers = options.deterministic ? deterministic_workers : workers;
  plan.direct = is_direct(part, options);
  plan.offloads = offloads && !plan.direct;
  const Stopwatch watch;
  const Planner planner(part, plan.workers, options,
                        plan.offloads ? Fill::by_tasks : Fill::by_first_writer, halo, open,
                        devices);
  Candidate best =
      plan.direct ? planner.best_granularity(whole_forest(part.structure)) : planner.best_cut();
  if (!plan.direct && planner.is_by_mdwin()) best = planner.best_load(std::move(best));
  if (auto alone = plan.direct ? std::nullopt : planner.host_alone(best)) {
    best = std::move(*alone);
    plan.offloads = false;
    plan.is_for_host = part.in_host_panels != nullptr;
  }
  const Part& planned = plan.is_for_host ? part.for_host() : part;
  plan.graph = std::move(best.graph);
  plan.granularity = best.granularity;
  plan.predicted_seconds = best.seconds;
  if (plan.direct) return plan;
  if (needs.fused_entries > 0) {
    fuse_updates(plan.graph, needs.fused_entries, part.kernels);
    plan.predicted_seconds = predicted_makespan(plan.graph, plan.workers, part.kernels.overhead());
  }
  if (halo) {
    plan.offload = std::move(best.offload);
    plan.offload->source = halo->source;
    plan.device_bytes = bytes_on_devices(plan.graph, part.structure, *halo);
    plan.device_costs = halo->costs;
    plan.offload_seconds = watch.seconds() - best.build_seconds;
  }
  if (part.alone) {
    const Index groups = needs.levels.groups > 0 ? needs.levels.groups : plan.workers;
    plan.graph.levels =
        partition_levels(planned.structure, plan.graph.cut, planned.panel, groups, needs.levels);
  }
  return plan;
}

/// Workers of all ranks for which panels leave too few tasks: on 2 simulated nodes of 8 cores
/// laplace3d:60 took 333 ms by panels and 237 ms by tiles, on nodes of 2 cores 777 and 792.
constexpr Index tiles_from_workers = 8;

Granularity chosen(Granularity requested, Index ranks, Index workers) {
  if (requested != Granularity::automatic) return requested;
  const bool few = ranks < tiles_from && workers < tiles_from_workers;
  return few ? Granularity::panel : Granularity::tile;
}

}  // namespace

/// A tile is a message: with twice the rows of those of one rank there are half as many, and tasks,
/// and memory is as even (laplace3d:50 on 8 ranks, narrower panels: 975 messages for 1454). Many
/// workers need more tasks: laplace3d:60 took on 4 simulated nodes of 4 cores 296, 290, 297 and 301
/// ms with 1024, 512, 256 and 128 rows, on 4 of 16 cores 175, 141, 117 and 95 ms, on 16 of 16 cores
/// 119, 68, 58 and 44 ms.
FactorOptions options_for_ranks(const FactorOptions& options, Index ranks, Index workers) {
  constexpr Index coarsest = 1024;
  constexpr Index finest = 128;
  if (options.deterministic) workers = ranks;  // the same bits with any number of workers
  Tuning tuning;
  tuning.tile_rows = std::clamp(coarsest * tiles_from_workers / workers, finest, coarsest);
  FactorOptions complete = completed(options, tuning);
  complete.granularity = chosen(options.granularity, ranks, workers);
  return complete;
}

FactorPlan plan_factorization(const SymbolicFactor& symbolic, Index workers,
                              const FactorOptions& options, const KernelCost& cost,
                              const PolicyNeeds& needs, bool offloads,
                              const std::optional<OffloadOptions>& halo,
                              const std::optional<AnyTaskDevices>& devices) {
  const Ownership everything = sole_ownership(symbolic);
  OpenChoices open;
  if (!options.tile_rows && !options.deterministic && workers >= finer_from) {
    open.finer = finer_rows;
  }
  open.subtrees = !options.subtrees_per_worker;
  const FactorOptions complete = completed(options, Tuning{});
  Part part{symbolic, everything, true, cost};
  if (!devices || devices->host == nullptr) {
    return plan_part(part, workers, complete, needs, offloads, halo, open, devices);
  }
  const Ownership all_of_host = sole_ownership(*devices->host);
  const Part host{*devices->host, all_of_host, true, cost};
  if (is_direct(host, complete)) {
    FactorPlan plan = plan_part(host, workers, complete, needs, offloads, halo, open);
    plan.is_for_host = true;
    return plan;
  }
  part.in_host_panels = &host;
  return plan_part(part, workers, complete, needs, offloads, halo, open, devices);
}

FactorPlan plan_rank(const LocalStructure& structure, Index workers, const FactorOptions& options,
                     const KernelCost& cost, bool offloads,
                     const std::optional<OffloadOptions>& halo) {
  return plan_part({structure, structure, false, cost}, workers,
                   options_for_ranks(options, structure.ranks, structure.ranks), {}, offloads, halo,
                   {});
}

TileLimits rank_tiles(const FactorOptions& options, Index ranks) {
  const FactorOptions complete = options_for_ranks(options, ranks, ranks);
  return tile_limits(complete.granularity, *complete.tile_rows);
}

}  // namespace espalier::internal
