// SPDX-License-Identifier: BSD-3-Clause
#include "plan/any_task_planner.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "plan/tuned.hpp"

namespace espalier::internal {

AnyTaskPlanner::AnyTaskPlanner(const Part& part, Index workers, const FactorOptions& options,
                               Fill fill, const OpenChoices& open, const AnyTaskDevices& devices)
    : Planner(part, workers, options, fill, open),
      devices_(devices),
      seconds_(*devices.costs, part.kernels, options.factorization != Factorization::ldlt) {}

std::optional<Candidate> AnyTaskPlanner::host_alone(const Candidate& best) const {
  const bool chosen = options().granularity != Granularity::automatic;
  if (!devices_.may_be_idle || chosen) return {};
  const TunedConstants& tuned = tuned_constants;
  const double overhead =
      tuned.counted_overhead * part().kernels.overhead() * best.graph.size() / cpus();
  const double seconds =
      std::min(makespan_with_devices(best.graph), most_seconds(best.graph) + overhead);
  const double copies = devices_.costs->to.latency + devices_.costs->back.latency;
  return alone_before(seconds * (1 + tuned.least_saved) + tuned.copies_of_path * copies, cpus());
}

SubtreeCut AnyTaskPlanner::first_cut() const {
  if (!open().subtrees || !has_fast_devices()) return cut(*options().subtrees_per_worker);
  std::vector<TriedCut> tried;
  for (Index subtrees = tuned_constants.subtrees_beside_devices;
       subtrees <= tuned_constants.most_beside_devices; subtrees *= 2) {
    tried.push_back({.subtrees = subtrees});
  }
  const Index together = std::min<Index>(part().threads, 3);  // cuts that threads try at a time
  const auto count = static_cast<Index>(tried.size());
  Index best = 0;
  for (Index k = 0; k < count; ++k) {
    if (k % together == 0) {
      parallel_for(std::min(together, count - k), together,
                   [&](Index i) { predict(tried[k + i]); });
    }
    const double most = tried[best].seconds * (1 - tuned_constants.saved_by_more);
    if (k > 0 && tried[k].seconds > most) break;
    best = k;
  }
  return std::move(tried[best].cut);
}

void AnyTaskPlanner::predict(TriedCut& tried) const {
  tried.cut = cut(tried.subtrees);
  tried.seconds = most_seconds(panels_above(tried.cut));
}

double AnyTaskPlanner::makespan(const Candidate& made) const {
  const double alike = predicted_makespan(made.graph, workers(), part().kernels.overhead());
  return std::min(alike, makespan_with_devices(made.graph));
}

Index AnyTaskPlanner::cpus() const { return std::max(workers() - devices_.processors, 1); }

DeviceShare AnyTaskPlanner::device_share() const {
  return {devices_.processors, part().kernels, *devices_.costs, structure(), &seconds_};
}

double AnyTaskPlanner::makespan_with_devices(const TaskGraph& graph) const {
  const DeviceShare side = device_share();
  return predicted_makespan(graph, cpus(), part().kernels.overhead(), &side);
}

bool AnyTaskPlanner::has_fast_devices() const {
  const auto seconds = [](const KernelCost& kernels) { return kernels.product(512, 256, 256); };
  return tuned_constants.much_faster * seconds(kernels_on(*devices_.costs, part().kernels)) <
         seconds(part().kernels);
}

double AnyTaskPlanner::most_seconds(const TaskGraph& graph) const {
  return least_seconds(graph, cpus(), device_share()) + least_path_seconds(graph, device_share());
}

TaskGraph AnyTaskPlanner::panels_above(const SubtreeCut& cut) const {
  return graph_of(cut, tile_panels(structure(), cut, Granularity::panel, *options().tile_rows),
                  nullptr);
}

}  // namespace espalier::internal
