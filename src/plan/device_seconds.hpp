// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/cost_table.hpp"
#include "graph/task_graph.hpp"

namespace espalier::internal {

/// Returns what an update takes by these costs of kernels, without anything beside them.
double update_seconds(const KernelCost& kernels, const TaskGraph& graph, const Task& update);

/// What tasks of any kind take on one worker of a device, where StarPU's policies may put them.
class DeviceSeconds {
 public:
  /// `host`: the costs by which the graphs were built.
  DeviceSeconds(DeviceTable table, KernelCost host);

  /// Returns whether such devices run tasks of this kind.
  bool runs(TaskKind kind) const {
    return kind != TaskKind::subtree && (kind != TaskKind::assemble || table_.assembles);
  }
  /// Returns the predicted seconds, with those that a device takes for each task. U, D and F go by
  /// the device's own kernels; what it has no table for by the host's prediction, changed as that
  /// of a like product (A) or of initialising memory is (R, fill). What devices do not run takes
  /// 0. All of it changed by the history of the device.
  double of(const Task& task, const TaskGraph& graph, const PanelStructure& structure) const;
  /// Returns the same without that history and without the seconds for each task.
  double kernels(const Task& task, const TaskGraph& graph, const PanelStructure& structure) const;

  /// Returns the seconds of a step of a triangular solve: with a triangle of L of so many columns
  /// where there is one, and so many rows below.
  double of_solve(Index rows_below, Index columns, Index right_hand_sides, bool has_triangle) const;
  /// Returns what the device was measured to cost.
  const DeviceTable& table() const { return table_; }

 private:
  DeviceTable table_;
  KernelCost host_;
  KernelCost device_;
};

}  // namespace espalier::internal
