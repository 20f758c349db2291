// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "espalier/options.hpp"
#include "graph/task_graph.hpp"
#include "mapping/kernel_cost.hpp"
#include "mapping/local_structure.hpp"
#include "mapping/offload.hpp"
#include "mapping/subtrees.hpp"
#include "mapping/tiling.hpp"

namespace espalier::internal {

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

/// A graph that is compared with others.
struct Candidate {
  TaskGraph graph;
  Granularity granularity;
  double seconds;        ///< predicted makespan
  double build_seconds;  ///< what building the graph took
  std::optional<OffloadPlan> offload;
};

/// What the user has not chosen.
struct OpenChoices {
  std::span<const Index> finer{};  ///< rows of tiles to try, each only where the one before paid
  bool subtrees = false;           ///< how many a worker has
};

/// Makes graphs of one part for a number of equal workers, and compares their predicted makespans.
/// Devices, if there are any, count as workers. Derived classes know more of the devices.
class Planner {
 public:
  /// The options leave nothing empty; they and the part outlive the planner.
  Planner(const Part& part, Index workers, const FactorOptions& options, Fill fill,
          const OpenChoices& open);
  Planner(const Planner&) = delete;
  Planner& operator=(const Planner&) = delete;
  virtual ~Planner() = default;

  /// Returns the best graph with these subtrees.
  Candidate best_granularity(const SubtreeCut& cut) const;
  /// Returns the best graph with any subtrees.
  Candidate best_cut() const;
  /// Returns a better graph with the same cut and granularity, or this one.
  virtual Candidate improved(Candidate best) const { return best; }
  /// Returns the best graph without devices if they may be idle and are predicted to save little.
  virtual std::optional<Candidate> host_alone(const Candidate& /*best*/) const { return {}; }

 protected:
  const Part& part() const { return part_; }
  const PanelStructure& structure() const { return part_.structure; }
  Index workers() const { return workers_; }
  const FactorOptions& options() const { return options_; }
  const OpenChoices& open() const { return open_; }

  SubtreeCut cut(double subtrees_per_worker) const;
  TaskGraph graph_of(const SubtreeCut& cut, Tiling tiling, const OffloadPlan* offload) const;
  Candidate built(const SubtreeCut& cut, Tiling tiling, Granularity granularity,
                  std::optional<OffloadPlan> offload) const;
  /// Returns the best graph on so many workers of the host if it takes at most so many seconds.
  std::optional<Candidate> alone_before(double most, Index cpus) const;

 private:
  /// Returns the cut of large problems, from which no others are tried.
  virtual SubtreeCut first_cut() const { return cut(*options_.subtrees_per_worker); }
  /// Returns which updates devices do, if that is planned.
  virtual std::optional<OffloadPlan> divided(const SubtreeCut& /*cut*/,
                                             const Tiling& /*tiling*/) const {
    return {};
  }
  /// Joins tasks of devices.
  virtual void join(TaskGraph& /*graph*/) const {}
  /// Messages of ranks take no time here.
  virtual double makespan(const Candidate& made) const;

  Candidate with(const SubtreeCut& cut, Granularity granularity, Index tile_rows) const;
  /// The papers' own graph has every block as a task.
  bool has_no_subtrees() const { return options_.granularity == Granularity::block; }

  const Part& part_;
  Index workers_;
  const FactorOptions& options_;
  Fill fill_;
  OpenChoices open_;
};

}  // namespace espalier::internal
