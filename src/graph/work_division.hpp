// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "graph/exchange.hpp"
#include "graph/graph_builder.hpp"
#include "graph/shadows.hpp"
#include "graph/shared_panels.hpp"

namespace espalier::internal {

/// How the work on the columns is divided among ranks, and between the host and devices: which
/// tasks this rank runs, what they write, and what has to be done before and after them. A sole
/// rank without devices runs all tasks and does nothing else. All that it is given outlives it.
class WorkDivision {
 public:
  WorkDivision(const Exchange& exchange, const OffloadPlan* offload, GraphBuilder& builder)
      : exchange_(exchange),
        builder_(builder),
        shared_(exchange, builder),
        shadows_(offload, exchange, builder) {}

  /// Adds to panel j what devices and other ranks contribute to it.
  void begin(Index j);
  /// Whether this rank runs the tasks that read panel j and write this tile.
  bool runs(Index j, Index tile) const { return exchange_.participates(j, tile); }
  /// Passes a tile of panel j on when it is complete.
  void complete(Index tile) { shared_.move(tile); }
  /// Appends an update by this block of panel j, which writes its target or what it finds to stand
  /// for it.
  Index append_update(Index j, Count block, Task& update, KernelSum kernels);
  /// Passes on what panel j was the last one to write, and forgets what this rank received of it.
  void end(Index j);
  /// Ends the graph, when there are no more tasks.
  void finish() { shared_.finish(); }

 private:
  const Exchange& exchange_;
  GraphBuilder& builder_;
  SharedPanels shared_;
  Shadows shadows_;
};

}  // namespace espalier::internal
