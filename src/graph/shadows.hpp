// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "graph/exchange.hpp"
#include "graph/graph_builder.hpp"
#include "mapping/offload.hpp"

namespace espalier::internal {

/// Shadows on devices, as contributions of this rank to itself: which update writes which shadow,
/// and the tasks that fill shadows and add them to their tiles. Without a plan there are no
/// shadows. All arguments of the constructor must outlive the object.
class Shadows {
 public:
  /// Adds the shadows that the plan's updates write to the contributions of the graph, by ascending
  /// tile, after the existing ones. A contribution of this rank to a tile of another rank has a
  /// shadow just as the rank's own tiles do. Cost O(tiles + rows of the blocks that the devices
  /// multiply).
  Shadows(const OffloadPlan* plan, const Exchange& exchange, GraphBuilder& builder);

  /// Returns the shadow that the update of a tile by a block of a panel writes, or -1.
  Index written_by(Index panel, Count block, Index tile) const {
    return any() && plan_->on_device(builder_.structure(), panel, block) ? of_tile_[tile] : -1;
  }
  /// Appends a task that adds to its shadow, task.contribution. Such tasks may run in any order.
  /// Before the first one, appends the task that sets the shadow to zero.
  Index append_writer(const Task& task, KernelSum kernels);
  /// Appends R(t) for the shadow of this rank's tile t, if there is one.
  void reduce(Index t);
  /// Appends R for the shadows of contributions to other ranks if panel j is the last one that
  /// writes them.
  void reduce_outgoing(Index j);

 private:
  bool any() const { return !writers_.empty(); }
  void enter(Index panel, UpdatedRows& updated);
  void append_reduce(Index t);
  std::vector<Index>& writers_of(Index shadow) { return writers_[shadow - first_]; }

  const OffloadPlan* plan_;
  const Exchange& exchange_;
  GraphBuilder& builder_;
  Index first_;                 ///< number of the first shadow among the contributions
  std::vector<Index> of_tile_;  ///< for each tile, its shadow or -1
  /// For each panel, the last panel with updates for contributions that writes its shadows, or -1.
  std::vector<Index> last_contributor_;
  std::vector<std::vector<Index>> writers_;  ///< for each shadow; the first writer sets it to zero
};

}  // namespace espalier::internal
