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

/// The part of a structure that one process factors, with its predicted times.
struct Part {
  Part(const PanelStructure& s, const Ownership& o, bool decides, const KernelCost& cost,
       Index with_threads)
      : structure(s),
        ownership(o),
        alone(decides),
        kernels(cost),
        threads(with_threads),
        block(block_seconds(s, cost, threads)),
        panel(panel_seconds(s, block)),
        path(path_seconds(s, cost, threads)) {
    const auto shared = panel.begin() + ownership.shared_begin;
    total = std::accumulate(panel.begin(), shared, 0.0) +
            std::accumulate(shared, panel.end(), 0.0) / ownership.ranks;
    std::fill(shared, panel.end(), std::numeric_limits<double>::infinity());
  }

  const Part& for_host() const { return in_host_panels != nullptr ? *in_host_panels : *this; }

  const PanelStructure& structure;
  const Ownership& ownership;
  bool alone;  ///< True for a single process, which chooses the granularity by predicted times.
               ///< Ranks choose it by fixed rules instead, because their predictions would differ.
  const KernelCost& kernels;
  Index threads;              ///< threads of the planner; the plan does not depend on them
  std::vector<double> block;  ///< seconds of each block
  std::vector<double> panel;  ///< seconds of each panel; infinite for shared panels
  std::vector<double> path;   ///< seconds that a panel above the cut adds to the longest path
  double total;               ///< seconds of the domain and of this rank's share of shared panels
  const Part* in_host_panels = nullptr;  ///< the same part in panels chosen for the host, or null
};

/// Shape of the tasks above the subtrees.
struct TaskShape {
  Granularity granularity;
  Index tile_rows;  ///< minimum rows of a tile
};

/// A graph that the planner compares with others.
struct Candidate {
  TaskGraph graph;
  TaskShape shape;
  double seconds;        ///< predicted makespan
  double build_seconds;  ///< time to build the graph
  std::optional<OffloadPlan> offload;
};

/// Choices that the user left to the planner.
struct OpenChoices {
  std::span<const Index> finer{};  ///< rows of tiles to try, in order, while the makespan shrinks
  bool subtrees = false;           ///< the number of subtrees per worker is open
  double least_subtree = 0;        ///< minimum predicted seconds of a subtree
};

/// Builds graphs of one part for a number of equal workers and compares their predicted makespans.
/// Devices count as workers. Derived classes have better models of devices.
class Planner {
 public:
  /// No field of `options` may be empty. The options and the part must outlive the planner.
  Planner(const Part& part, Index workers, const FactorOptions& options, Fill fill,
          const OpenChoices& open);
  Planner(const Planner&) = delete;
  Planner& operator=(const Planner&) = delete;
  virtual ~Planner() = default;

  /// Returns the best graph with this cut.
  Candidate best_granularity(const SubtreeCut& cut) const;
  /// Returns the best graph with any cut. Compares shapes of tasks only for the first cut.
  Candidate best_cut() const;
  /// Returns a better graph with the same cut and granularity if there is one, else `best`.
  virtual Candidate improved(Candidate best) const { return best; }
  /// Returns the best graph without devices if devices may be idle and are predicted to save
  /// little.
  virtual std::optional<Candidate> host_alone(const Candidate& /*best*/) const { return {}; }

 protected:
  const Part& part() const { return part_; }
  const PanelStructure& structure() const { return part_.structure; }
  Index workers() const { return workers_; }
  const FactorOptions& options() const { return options_; }
  const OpenChoices& open() const { return open_; }

  SubtreeCut cut(double subtrees_per_worker) const;
  /// Returns the same cut, but without subtrees below OpenChoices::least_subtree.
  SubtreeCut usual_cut(double subtrees_per_worker) const;
  TaskGraph graph_of(const SubtreeCut& cut, Tiling tiling, const OffloadPlan* offload) const;
  Candidate built(const SubtreeCut& cut, Tiling tiling, TaskShape shape,
                  std::optional<OffloadPlan> offload) const;
  /// Returns the best graph on `cpus` workers of the host if it takes at most `most` seconds.
  std::optional<Candidate> alone_before(double most, Index cpus) const;

 private:
  /// Returns the first cut; for large problems it is the only one tried.
  virtual SubtreeCut first_cut() const { return usual_cut(*options_.subtrees_per_worker); }
  /// Returns the division of updates between host and devices, if this planner makes one.
  virtual std::optional<OffloadPlan> divided(const SubtreeCut& /*cut*/,
                                             const Tiling& /*tiling*/) const {
    return {};
  }
  /// Joins small tasks of devices.
  virtual void join(TaskGraph& /*graph*/) const {}
  /// Returns the predicted makespan; messages between ranks take no time.
  virtual double makespan(const Candidate& made) const;

  /// Returns the shapes to compare, the coarsest first.
  std::vector<TaskShape> shapes() const;
  Candidate with(const SubtreeCut& cut, TaskShape shape) const;
  /// Returns the largest subtrees with at most this predicted time.
  SubtreeCut cut_at(double most_seconds) const;
  /// Block granularity makes each block a task, as the papers do, so it has no subtrees.
  bool has_no_subtrees() const { return options_.granularity == Granularity::block; }

  const Part& part_;
  Index workers_;
  const FactorOptions& options_;
  Fill fill_;
  OpenChoices open_;
};

}  // namespace espalier::internal
