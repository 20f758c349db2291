// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/dense.hpp"
#include "codelets/payload/task_payload.hpp"
#include "codelets/task_list.hpp"
#include "codelets/tasks/factorize.hpp"
#include "codelets/tasks/update.hpp"
#include "graph/task_graph.hpp"
#include "mapping/local_structure.hpp"
#include "plan/device_seconds.hpp"

namespace espalier::internal {

/// Returns the contributions of a graph, without memory: StarPU has it while they are in use.
std::vector<MatrixView> contribution_views(const PanelStructure& structure, const TaskGraph& graph);

/// The tasks of a graph bound to the memory of one factor. Data: tiles, groups, contributions.
/// Immovable: the list points into it.
class FactorTasks {
 public:
  /// What `data` view and all else outlive the object.
  FactorTasks(const PanelStructure& structure, const TaskGraph& graph, FactorContext& context,
              std::span<const MatrixView> data, bool ordered_updates);
  FactorTasks(const FactorTasks&) = delete;
  FactorTasks& operator=(const FactorTasks&) = delete;

  const TaskList& list() const { return list_; }
  /// Lets accelerators run tasks of the list, where they take as long as that says. The graph has
  /// tasks that fill the tiles.
  void make_payloads(const DeviceSeconds& device);
  /// Gives every other task to the first device, under `halo`, where a device can run it. Goes
  /// before make_payloads(); the graph has no contributions.
  void alternate_sides();
  /// Counts block rows and columns of shared panels among those that the grid gives to each rank.
  void count_blocks_of_rank(const Ownership& ownership);

 private:
  void add_lazy_tiles();
  void bind(const Task& task);
  void bind_diagonal(const Task& task);
  void bind_factor(const Task& task);
  void bind_update(const Task& task);
  UpdateTask update_of(const Task& task);
  void bind_subtree(const Task& task);
  void bind_assemble(const Task& task);
  void bind_reduce(const Task& task);
  void bind_fill(const Task& task);

  /// What U and A write: the tile or a contribution to it, and its rows of L.
  struct Target {
    Index data;
    LazyTile* lazy;
    std::span<const Index> rows;
  };
  Target target_of(const Task& task);

  void bind_fused(const Task& task);
  /// Returns the panel with this column of L.
  Index panel_of(Index row) const;
  Shape shape_of(const Task& task, Index m, Index n, Index k) const;
  /// Returns the panel whose elimination the task is part of; of a group, any.
  Index source_of(const Task& task) const;
  /// Enters where a panel is among the levels.
  void place(Index source, Shape& shape) const;
  /// Enters the same for a task that all levels wait for.
  void place_first(Shape& shape) const;

  const Tile& tile(Index t) const { return graph_.tiling.tile[t]; }
  std::span<const Index> rows_of(const Tile& tile) const;

  const PanelStructure& structure_;
  const TaskGraph& graph_;
  FactorContext& context_;
  AccessMode update_mode_;

  std::vector<LazyTile> lazy_;  ///< tiles, then contributions
  std::vector<DiagonalTask> diagonal_;
  std::vector<FactorTask> factor_;
  std::vector<UpdateTask> update_;
  std::vector<UpdateTask::Piece> piece_;  ///< of the fused ones
  std::vector<SubtreeTask> subtree_;
  std::vector<AssembleTask> assemble_;
  std::vector<ReduceTask> reduce_;
  std::vector<FillTask> fill_;
  std::vector<Access> accesses_;  ///< what the U at hand accesses
  TaskList list_;
  std::optional<TaskPayloads> payloads_;
};

/// Counts the entries of L that a process keeps: the array of its domain, then its tiles of shared
/// panels.
Count stored_entries(const PartView& part, const TaskGraph& graph);

/// Returns all entries of a group, which follow one another: up to most_entries_of_group.
MatrixView view_of_group(double* values, Count length);

/// Returns the data of a graph in such an array: tiles, groups, contributions. Tiles of shared
/// panels are contiguous. A view without memory is that of a tile that the rank receives, or of a
/// contribution; one without rows of a tile that it never sees.
std::vector<MatrixView> data_in_array(const PartView& part, const TaskGraph& graph, double* values);

/// Returns the parts of such an array that no group has, in ascending order.
std::vector<std::span<double>> outside_of_groups(const PanelStructure& structure,
                                                 const TaskGraph& graph, std::span<double> values);

}  // namespace espalier::internal
