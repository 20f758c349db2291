// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/cost_table.hpp"
#include "graph/task_graph.hpp"

namespace espalier::internal {

/// Returns the seconds of an update's kernels at these costs, without any overhead of the task.
double update_seconds(const KernelCost& kernels, const TaskGraph& graph, const Task& update);

/// Predicted seconds of tasks on one worker of a device, for policies that may give a device any
/// kind of task.
class DeviceSeconds {
 public:
  /// `host` must be the kernel costs of the planner that builds the graphs. `diagonals` says
  /// whether the devices run D.
  DeviceSeconds(DeviceTable table, KernelCost host, bool diagonals = true);

  /// Returns whether these devices run tasks of this kind.
  bool runs(TaskKind kind) const {
    return kind != TaskKind::subtree && (kind != TaskKind::assemble || table_.assembles) &&
           (kind != TaskKind::diagonal || diagonals_);
  }
  /// Returns the predicted seconds of a task: its kernels, corrected by the history of the device,
  /// plus the overhead per task. The result is 0 if devices do not run tasks of this kind.
  /// - U, D and F: the device's own kernel times, or the host's prediction if D or F was not
  ///   measured.
  /// - A: the host's prediction, scaled by the ratio of a similar product on device and host.
  /// - R and fill: the host's prediction, scaled by the ratio of the times to initialise memory.
  double of(const Task& task, const TaskGraph& graph, const PanelStructure& structure) const;
  /// Returns the seconds of the kernels alone, without the history and the overhead per task.
  double kernels(const Task& task, const TaskGraph& graph, const PanelStructure& structure) const;

  /// Returns the seconds of one step of a triangular solve: a product with `rows_below` rows of L
  /// and, if `has_triangle`, a triangular solve with `columns` columns.
  double of_solve(Index rows_below, Index columns, Index right_hand_sides, bool has_triangle) const;
  const DeviceTable& table() const { return table_; }

 private:
  DeviceTable table_;
  KernelCost host_;
  KernelCost device_;
  bool diagonals_;
};

}  // namespace espalier::internal
