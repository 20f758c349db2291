// SPDX-License-Identifier: BSD-3-Clause
#include "plan/planner.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/parallel.hpp"
#include "plan/makespan.hpp"
#include "plan/plan.hpp"
#include "plan/tuned.hpp"

namespace espalier::internal {

Planner::Planner(const Part& part, Index workers, const FactorOptions& options, Fill fill,
                 const OpenChoices& open)
    : part_(part), workers_(workers), options_(options), fill_(fill), open_(open) {}

std::vector<TaskShape> Planner::shapes() const {
  const Index rows_of_tiles = *options_.tile_rows;
  if (options_.granularity != Granularity::automatic) {
    return {{options_.granularity, rows_of_tiles}};
  }
  std::vector<TaskShape> shapes{{Granularity::panel, rows_of_tiles}};
  if (workers_ < tiles_from) return shapes;
  shapes.push_back({Granularity::tile, rows_of_tiles});
  for (const Index rows : open_.finer) shapes.push_back({Granularity::tile, rows});
  return shapes;
}

Candidate Planner::best_granularity(const SubtreeCut& cut) const {
  const std::vector<TaskShape> shapes = this->shapes();
  std::vector<std::optional<Candidate>> made(shapes.size());
  const auto make = [&](Index k) { made[k] = with(cut, shapes[k]); };
  // Threads make all candidates at once if there is one for each. Fewer threads make only the two
  // that are always compared at once, and stop at the first finer one that is not better.
  const auto count = static_cast<Index>(shapes.size());
  const Index at_once = part_.threads >= count ? count : std::min<Index>(count, 2);
  parallel_for(at_once, part_.threads, make);
  Index best = 0;
  for (Index k = 0; k < count; ++k) {
    if (!made[k]) make(k);
    if (made[k]->seconds < made[best]->seconds) {
      made[std::exchange(best, k)].reset();
    } else if (k > 1) {
      break;
    }
  }
  return std::move(*made[best]);
}

Candidate Planner::best_cut() const {
  const double small =
      std::max(tuned_constants.small_below, tuned_constants.small_below_a_worker * workers_);
  if (part_.total > small) return best_granularity(first_cut());
  Candidate best = best_granularity(usual_cut(*options_.subtrees_per_worker));
  if (!part_.alone || has_no_subtrees()) return best;
  const TaskShape shape = best.shape;
  std::array<std::optional<Candidate>, tuned_constants.fewer_subtrees.size()> fewer;
  parallel_for(static_cast<Index>(fewer.size()), part_.threads, [&](Index k) {
    const double subtrees = tuned_constants.fewer_subtrees[k];
    if (subtrees < *options_.subtrees_per_worker) fewer[k] = with(usual_cut(subtrees), shape);
  });
  for (std::optional<Candidate>& made : fewer) {
    if (made && made->seconds < best.seconds) best = std::move(*made);
  }
  return best;
}

SubtreeCut Planner::cut(double subtrees_per_worker) const {
  return cut_at(part_.total / (subtrees_per_worker * workers_));
}

SubtreeCut Planner::usual_cut(double subtrees_per_worker) const {
  const double share = part_.total / (subtrees_per_worker * workers_);
  return cut_at(std::max(share, open_.least_subtree));
}

SubtreeCut Planner::cut_at(double most_seconds) const {
  if (has_no_subtrees()) return cut_subtrees(structure(), part_.panel, -1);
  return cut_subtrees(structure(), part_.panel, most_seconds, part_.path);
}

TaskGraph Planner::graph_of(const SubtreeCut& cut, Tiling tiling,
                            const OffloadPlan* offload) const {
  return build_factor_graph(structure(), part_.ownership, cut, std::move(tiling), part_.kernels,
                            part_.block, fill_, offload, part_.threads);
}

Candidate Planner::with(const SubtreeCut& cut, TaskShape shape) const {
  Tiling tiling = tile_panels(structure(), cut, shape.granularity, shape.tile_rows);
  std::optional<OffloadPlan> offload = divided(cut, tiling);
  return built(cut, std::move(tiling), shape, std::move(offload));
}

Candidate Planner::built(const SubtreeCut& cut, Tiling tiling, TaskShape shape,
                         std::optional<OffloadPlan> offload) const {
  const Stopwatch watch;
  Candidate made{graph_of(cut, std::move(tiling), offload ? &*offload : nullptr), shape, 0, 0,
                 std::move(offload)};
  if (made.offload) join(made.graph);
  made.build_seconds = watch.seconds();
  made.seconds = makespan(made);
  return made;
}

double Planner::makespan(const Candidate& made) const {
  return predicted_makespan(made.graph, workers_, part_.kernels.overhead());
}

std::optional<Candidate> Planner::alone_before(double most, Index cpus) const {
  const Part& host = part_.for_host();
  if (tuned_constants.least_share * host.total / cpus > most) return {};
  OpenChoices open = open_;
  if (cpus < tuned_constants.finer_from) open.finer = {};
  if (open.subtrees && !options_.deterministic) open.least_subtree = tuned_constants.least_subtree;
  Candidate alone = Planner(host, cpus, options_, Fill::by_first_writer, open).best_cut();
  if (alone.seconds > most) return {};
  return alone;
}

}  // namespace espalier::internal
