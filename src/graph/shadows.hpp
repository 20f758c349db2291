// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "graph/edges.hpp"
#include "graph/exchange.hpp"
#include "graph/task_graph.hpp"
#include "mapping/offload.hpp"

namespace espalier {

/// Shadows on devices as contributions of the same rank, of one alone or one of several: which
/// update writes which one, and the order of the tasks on each.
class Shadows {
 public:
  /// Without any.
  Shadows() = default;
  /// Enters the shadows that the plan's updates write as contributions of the graph, by ascending
  /// tile, after those that are there: what this rank contributes to a tile of another one has a
  /// shadow as its own tiles have. `exchange` is null where there is one rank. Structure, plan and
  /// exchange outlive the object. Cost O(tiles + rows of the blocks that the devices multiply).
  Shadows(const PanelStructure& structure, const OffloadPlan& plan, const Exchange* exchange,
          TaskGraph& graph);

  /// The shadow that the update of a tile by a block of a panel writes, or -1.
  Index written_by(Index panel, Count block, Index tile) const {
    return plan_ && plan_->on_device(*structure_, panel, block) ? of_tile_[tile] : -1;
  }
  /// Whether no panel of the domain after this one writes shadows of panel k.
  bool is_last_of_domain(Index panel, Index k) const {
    return plan_ && last_of_domain_[k] == panel;
  }
  /// That of a tile, or -1.
  Index of(Index tile) const { return plan_ ? of_tile_[tile] : -1; }

  /// Task t sets the shadow to zero.
  void begin(Index shadow, Index t) { writers_of(shadow).assign(1, t); }
  bool has_begun(Index shadow) const { return !writers_[shadow - first_].empty(); }
  /// Task t adds to it; its order among such tasks is free.
  void add_writer(Index shadow, Index t, EdgeList& edges) {
    edges.add(writers_of(shadow).front(), t);
    writers_of(shadow).push_back(t);
  }
  /// Task t reads it when all have added to it.
  void add_reader(Index shadow, Index t, EdgeList& edges) const;

 private:
  void enter(Index panel, UpdatedRows& updated, TaskGraph& graph);
  std::vector<Index>& writers_of(Index shadow) { return writers_[shadow - first_]; }

  const PanelStructure* structure_ = nullptr;
  const OffloadPlan* plan_ = nullptr;
  const Exchange* exchange_ = nullptr;
  Index first_ = 0;  ///< of the shadows among the contributions
  std::vector<Index> of_tile_;
  std::vector<Index> last_of_domain_;  ///< for each panel, the last one of the domain that writes
                                       ///< its shadows, or -1
  std::vector<std::vector<Index>> writers_;  ///< of each shadow, the one that sets it to zero first
};

/// Up to where updates are joined into one task of a device.
struct JoinLimits {
  Index targets = 1;
  Count words = 0;            ///< of rows and columns, which the device is told with the task
  double seconds = 0;         ///< of the device's kernels: longer ones are no longer small
  const KernelCost& kernels;  ///< of the device
};

/// Joins updates by the same tiles into shadows on the same device, so that the device does small
/// ones in one call and no more tasks than that takes. A task stands where the last of those stood
/// that it consists of. No messages fall between these. Cost O(tasks + edges), nothing where there
/// are no shadows.
void join_updates(TaskGraph& graph, const JoinLimits& limits);

}  // namespace espalier
