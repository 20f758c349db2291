// SPDX-License-Identifier: BSD-3-Clause
#include "plan/plan.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/clock.hpp"
#include "base/options.hpp"
#include "graph/batches.hpp"
#include "graph/joined_updates.hpp"
#include "plan/any_task_planner.hpp"
#include "plan/divided_planner.hpp"
#include "plan/makespan.hpp"
#include "plan/offloading.hpp"
#include "plan/planner.hpp"
#include "plan/tuned.hpp"

namespace espalier::internal {

namespace {

/// Returns whether the calling thread runs all tasks.
bool is_direct(const Part& part, const FactorOptions& options) {
  const bool chosen = options.granularity != Granularity::automatic;
  return part.alone && !chosen && part.total < tuned_constants.direct_below;
}

std::unique_ptr<Planner> planner_for(const Part& part, Index workers, Fill fill,
                                     const OpenChoices& open, const PlanRequest& request) {
  const FactorOptions& options = request.options;
  if (const auto& division = request.devices.division) {
    return std::make_unique<DividedPlanner>(part, workers, options, fill, open, *division);
  }
  if (const auto& devices = request.devices.any_task) {
    return std::make_unique<AnyTaskPlanner>(part, workers, options, fill, open, *devices);
  }
  return std::make_unique<Planner>(part, workers, options, fill, open);
}

void fuse(FactorPlan& plan, Count entries, const KernelCost& kernels) {
  fuse_updates(plan.graph, entries, kernels);
  plan.predicted_seconds = predicted_makespan(plan.graph, plan.workers, kernels.overhead());
}

/// Joins tasks by blocks to batches. The runtime overhead of a batch is divided among its tasks.
void batch(FactorPlan& plan, const Part& part, std::span<const BlockGrid> owners) {
  batch_tasks(plan.graph, {part.structure, part.ownership}, owners, part.kernels.overhead());
  if (plan.graph.size() == 0) return;
  const double share = static_cast<double>(plan.graph.submitted()) / plan.graph.size();
  plan.predicted_seconds =
      predicted_makespan(plan.graph, plan.workers, share * part.kernels.overhead());
}

void add_division(FactorPlan& plan, std::optional<OffloadPlan> offload, const Part& part,
                  const OffloadOptions& division) {
  plan.offload = std::move(offload);
  plan.offload->source = division.source;
  plan.device_bytes = bytes_on_devices(plan.graph, part.structure, division);
  plan.device_costs = division.costs;
}

void add_levels(FactorPlan& plan, const Part& part, const LevelOptions& options) {
  const Index groups = options.groups > 0 ? options.groups : plan.workers;
  plan.graph.levels = partition_levels(part.structure, plan.graph.cut, part.panel, groups, options);
}

/// Returns the plan of a part. No field of the request's options may be empty.
FactorPlan plan_part(const Part& part, const OpenChoices& open, const PlanRequest& request) {
  FactorPlan plan;
  plan.workers = request.options.deterministic ? deterministic_workers : request.workers;
  plan.direct = is_direct(part, request.options);
  plan.offloads = request.devices.present && !plan.direct;
  plan.has_handles = request.needs.handles;
  plan.has_signs = request.options.factorization == Factorization::ldlt;
  const Stopwatch watch;
  const Fill fill = plan.offloads ? Fill::by_tasks : Fill::by_first_writer;
  const auto planner = planner_for(part, plan.workers, fill, open, request);
  Candidate best = plan.direct ? planner->best_granularity(whole_forest(part.structure))
                               : planner->improved(planner->best_cut());
  if (auto alone = plan.direct ? std::nullopt : planner->host_alone(best)) {
    best = std::move(*alone);
    plan.offloads = false;
    plan.is_for_host = part.in_host_panels != nullptr;
  }
  plan.graph = std::move(best.graph);
  plan.granularity = best.shape.granularity;
  plan.predicted_seconds = best.seconds;
  if (plan.direct) return plan;
  if (request.needs.fused_entries > 0) fuse(plan, request.needs.fused_entries, part.kernels);
  if (!request.owners.empty() && plan.granularity == Granularity::block) {
    batch(plan, part, request.owners);
  }
  if (const auto& division = request.devices.division) {
    add_division(plan, std::move(best.offload), part, *division);
    plan.offload_seconds = watch.seconds() - best.build_seconds;
  }
  const Part& planned = plan.is_for_host ? part.for_host() : part;
  if (part.alone) add_levels(plan, planned, request.needs.levels);
  return plan;
}

Granularity chosen(Granularity requested, Index ranks, Index workers) {
  if (requested != Granularity::automatic) return requested;
  const bool few = ranks < tiles_from && workers <= tuned_constants.panels_up_to;
  return few ? Granularity::panel : Granularity::tile;
}

/// Returns the choices that the user left to the plan of one process.
OpenChoices open_choices(const PlanRequest& request) {
  const FactorOptions& options = request.options;
  const bool is_open = !options.tile_rows && !options.deterministic;
  OpenChoices open;
  if (is_open && request.workers >= tuned_constants.finer_from) {
    open.finer = tuned_constants.finer_rows;
  }
  open.subtrees = !options.subtrees_per_worker;
  // Beside devices, the tasks that devices may run must stay outside of subtrees. Deterministic
  // plans are the same with and without devices.
  const bool only_for_host = !request.devices.present && !options.deterministic;
  if (open.subtrees && only_for_host) open.least_subtree = tuned_constants.least_subtree;
  return open;
}

}  // namespace

/// A tile is also a message. With few workers, tiles have twice as many rows as on a single rank.
/// So there are half as many tasks and messages, and the memory of ranks is balanced equally well.
/// Many workers need more tasks, and therefore smaller tiles.
FactorOptions options_for_ranks(const FactorOptions& options, Index ranks, Index workers) {
  const TunedConstants& tuned = tuned_constants;
  if (options.deterministic) workers = ranks;  // same bits with any number of workers
  Tuning tuning;
  tuning.tile_rows = std::clamp(tuned.coarsest_rank_tile * (tuned.panels_up_to + 1) / workers,
                                tuned.finest_rank_tile, tuned.coarsest_rank_tile);
  FactorOptions complete = completed(options, tuning);
  complete.granularity = chosen(options.granularity, ranks, workers);
  return complete;
}

FactorPlan plan_factorization(const SymbolicFactor& symbolic, const PlanRequest& request) {
  const OpenChoices open = open_choices(request);
  PlanRequest complete = request;
  complete.options = completed(request.options, Tuning{});
  complete.owners.clear();
  if (request.needs.owners.size() > 0) complete.owners = {request.needs.owners};
  const Ownership everything = sole_ownership(symbolic);
  Part part{symbolic, everything, true, request.cost, request.threads};
  if (request.in_host_panels == nullptr) return plan_part(part, open, complete);
  const Ownership all_of_host = sole_ownership(*request.in_host_panels);
  const Part host{*request.in_host_panels, all_of_host, true, request.cost, request.threads};
  if (!is_direct(host, complete.options)) {
    part.in_host_panels = &host;
    return plan_part(part, open, complete);
  }
  complete.devices.any_task.reset();
  FactorPlan plan = plan_part(host, open, complete);
  plan.is_for_host = true;
  return plan;
}

FactorPlan plan_factorization(const LocalStructure& structure, const PlanRequest& request) {
  PlanRequest complete = request;
  complete.options = options_for_ranks(request.options, structure.ranks, structure.ranks);
  complete.needs = {.handles = true};
  return plan_part({structure, structure, false, request.cost, request.threads}, {}, complete);
}

TileLimits rank_tiles(const FactorOptions& options, Index ranks) {
  const FactorOptions complete = options_for_ranks(options, ranks, ranks);
  return tile_limits(complete.granularity, *complete.tile_rows);
}

}  // namespace espalier::internal
