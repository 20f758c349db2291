// SPDX-License-Identifier: BSD-3-Clause
#include "plan/divided_planner.hpp"

#include <utility>

#include "graph/exchange.hpp"
#include "plan/makespan.hpp"
#include "plan/offloading.hpp"
#include "plan/tuned.hpp"

namespace espalier::internal {

namespace {

/// Returns the plan without updates on devices, for problems that the host finishes sooner alone.
OffloadPlan all_on_host(const PanelStructure& structure) {
  OffloadPlan plan;
  plan.first.assign(structure.block_begin.begin() + 1, structure.block_begin.end());
  plan.device.assign(structure.panels(), -1);
  return plan;
}

}  // namespace

DividedPlanner::DividedPlanner(const Part& part, Index workers, const FactorOptions& options,
                               Fill fill, const OpenChoices& open, const OffloadOptions& division)
    : Planner(part, workers, options, fill, open),
      division_(division),
      on_device_(division.costs ? kernels_on(*division.costs, part.kernels) : part.kernels) {}

bool DividedPlanner::is_by_costs() const {
  return division_.costs && division_.division.rule == HaloDivision::Rule::mdwin;
}

Candidate DividedPlanner::improved(Candidate best) const {
  if (!is_by_costs()) return best;
  for (const double load : tuned_constants.loads_of_host) {
    OffloadPlan offload = divided(best.graph.cut, best.graph.tiling, load);
    if (offload.first == best.offload->first) continue;
    Candidate made = built(best.graph.cut, best.graph.tiling, best.shape, std::move(offload));
    if (made.seconds >= best.seconds) break;
    best = std::move(made);
  }
  return best;
}

std::optional<Candidate> DividedPlanner::host_alone(const Candidate& best) const {
  if (!is_by_costs()) return {};
  const double saved = division_.costs->measured() ? 0 : tuned_constants.least_saved;
  std::optional<Candidate> alone = alone_before(best.seconds * (1 + saved), division_.host_workers);
  if (alone) alone->offload = all_on_host(structure());
  return alone;
}

std::optional<OffloadPlan> DividedPlanner::divided(const SubtreeCut& cut,
                                                   const Tiling& tiling) const {
  return divided(cut, tiling, 1);
}

OffloadPlan DividedPlanner::divided(const SubtreeCut& cut, const Tiling& tiling,
                                    double load) const {
  OffloadOptions options = division_;
  options.load = load;
  return plan_offload(structure(), cut, part().kernels, on_device_, options,
                      own_updates(structure(), part().ownership, tiling));
}

void DividedPlanner::join(TaskGraph& graph) const {
  join_small_updates(graph, division_, on_device_);
}

double DividedPlanner::makespan(const Candidate& made) const {
  const double overhead = part().kernels.overhead();
  if (!division_.costs) return predicted_makespan(made.graph, workers(), overhead);
  const DeviceShare devices{division_.device_processors, on_device_, *division_.costs, structure()};
  return predicted_makespan(made.graph, division_.host_workers, overhead, &devices);
}

}  // namespace espalier::internal
