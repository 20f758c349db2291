// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "graph/exchange.hpp"
#include "graph/graph_builder.hpp"
#include "mapping/offload.hpp"

namespace espalier::internal {

/// Shadows on devices as contributions of the same rank, whether it is a sole one or one of
/// several: which update writes which shadow, and the tasks that fill shadows and add them to their
/// tiles. Without a plan there are none. All that it is given outlives it.
class Shadows {
 public:
  /// Enters the shadows that the plan's updates write as contributions of the graph, by ascending
  /// tile, after those that are there: what this rank contributes to a tile of another one has a
  /// shadow as its own tiles have. Cost O(tiles + rows of the blocks that the devices multiply).
  Shadows(const OffloadPlan* plan, const Exchange& exchange, GraphBuilder& builder);

  /// The shadow that the update of a tile by a block of a panel writes, or -1.
  Index written_by(Index panel, Count block, Index tile) const {
    return any() && plan_->on_device(builder_.structure(), panel, block) ? of_tile_[tile] : -1;
  }
  /// Appends a task that adds to the shadow that it has as its contribution, in any order among
  /// such tasks, and before the first one the task that sets the shadow to zero.
  Index append_writer(const Task& task, KernelSum kernels);
  /// Appends R(t) of the shadow of a tile of this rank, if there is one.
  void reduce(Index t);
  /// Appends R of the shadows of what this rank contributes to others' tiles, where no panel after
  /// j writes them.
  void reduce_outgoing(Index j);

 private:
  bool any() const { return !writers_.empty(); }
  void enter(Index panel, UpdatedRows& updated);
  void append_reduce(Index t);
  std::vector<Index>& writers_of(Index shadow) { return writers_[shadow - first_]; }

  const OffloadPlan* plan_;
  const Exchange& exchange_;
  GraphBuilder& builder_;
  Index first_;                        ///< number of the first shadow among the contributions
  std::vector<Index> of_tile_;         ///< for each tile, its shadow or -1
  std::vector<Index> last_of_domain_;  ///< for each panel, the last one of the domain that writes
                                       ///< its shadows, or -1
  std::vector<std::vector<Index>> writers_;  ///< by shadow; the first one sets it to zero
};

}  // namespace espalier::internal
