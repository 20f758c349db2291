// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "graph/exchange.hpp"
#include "graph/graph_builder.hpp"
#include "graph/shadows.hpp"
#include "graph/shared_panels.hpp"

namespace espalier::internal {

/// Division of the work on the columns among ranks, and between host and devices: the tasks that
/// this rank runs, the data that they write, and the work before and after them. A sole rank
/// without devices runs all tasks and has no other work. All arguments of the constructor must
/// outlive the object.
class WorkDivision {
 public:
  WorkDivision(const Exchange& exchange, const OffloadPlan* offload, GraphBuilder& builder)
      : exchange_(exchange),
        builder_(builder),
        shared_(exchange, builder),
        shadows_(offload, exchange, builder) {}

  /// Begins panel j: appends the tasks that add contributions of devices and other ranks to it.
  void begin(Index j);
  /// Returns whether this rank runs the tasks that read panel j and write this tile.
  bool runs(Index j, Index tile) const { return exchange_.participates(j, tile); }
  /// Sends a complete tile of the current panel to other ranks, or receives it.
  void complete(Index tile) { shared_.move(tile); }
  /// Appends an update by this block of panel j. Sets update.contribution if a shadow or a
  /// contribution is written instead of the target.
  Index append_update(Index j, Count block, Task& update, KernelSum kernels);
  /// Ends panel j. Adds shadows to contributions for other ranks if panel j was the last to write
  /// them. Releases the received tiles of panel j.
  void end(Index j);
  /// Completes the graph. Must be called after the last task.
  void finish() { shared_.finish(); }

 private:
  const Exchange& exchange_;
  GraphBuilder& builder_;
  SharedPanels shared_;
  Shadows shadows_;
};

}  // namespace espalier::internal
