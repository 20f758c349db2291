// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "graph/edges.hpp"
#include "graph/task_graph.hpp"
#include "mapping/offload.hpp"

namespace espalier {

/// Shadows on devices as contributions of the same rank: which update writes which one, and the
/// order of the tasks on each.
class Shadows {
 public:
  /// Without any.
  Shadows() = default;
  /// Enters the shadows that the plan's updates write as contributions of the graph, by ascending
  /// tile. Structure and plan outlive the object. Cost O(tiles + rows of the blocks that the
  /// devices multiply).
  Shadows(const PanelStructure& structure, const OffloadPlan& plan, TaskGraph& graph);

  /// The shadow that the update of a tile by a block of a panel writes, or -1.
  Index written_by(Index panel, Count block, Index tile) const {
    return plan_ && plan_->on_device(*structure_, panel, block) ? of_tile_[tile] : -1;
  }
  /// That of a tile, or -1.
  Index of(Index tile) const { return plan_ ? of_tile_[tile] : -1; }

  /// Task t sets the shadow to zero.
  void begin(Index shadow, Index t) { writers_[shadow].assign(1, t); }
  bool has_begun(Index shadow) const { return !writers_[shadow].empty(); }
  /// Task t adds to it; its order among such tasks is free.
  void add_writer(Index shadow, Index t, EdgeList& edges) {
    edges.add(writers_[shadow].front(), t);
    writers_[shadow].push_back(t);
  }
  /// Task t reads it when all have added to it.
  void add_reader(Index shadow, Index t, EdgeList& edges) const;

 private:
  void enter(Index panel, TaskGraph& graph);

  const PanelStructure* structure_ = nullptr;
  const OffloadPlan* plan_ = nullptr;
  std::vector<Index> of_tile_;
  std::vector<std::vector<Index>> writers_;  ///< of each shadow, the one that sets it to zero first
};

}  // namespace espalier
