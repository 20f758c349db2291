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
#include "runtime/factor_batches.hpp"

namespace espalier::internal {

/// Tasks of a graph, bound to the memory of one factor. Their data are the tiles, then the groups,
/// then the contributions. Immovable, because the list points into the object.
class FactorTasks {
 public:
  /// All arguments, and the memory that `data` view, must outlive the object. `threads` threads
  /// count the operations of tasks.
  FactorTasks(const PanelStructure& structure, const TaskGraph& graph, FactorContext& context,
              std::span<const MatrixView> data, bool ordered_updates, Index threads = 1);
  FactorTasks(const FactorTasks&) = delete;
  FactorTasks& operator=(const FactorTasks&) = delete;

  TaskList& list() { return list_; }
  const TaskList& list() const { return list_; }
  /// Lets accelerators run tasks of the list. `device` predicts the times of these tasks on a
  /// device. The graph must have tasks that fill the tiles.
  void make_payloads(const DeviceSeconds& device);
  /// Assigns every second task of each kind to the first device, under the policy `halo`, if a
  /// device can run it. Calibrations use this to measure all kinds of tasks. Must be called before
  /// make_payloads(). The graph must have no contributions.
  void alternate_sides();
  /// Sets `own_row` and `own_column` of each task on a shared panel: the positions of its block row
  /// and block column among the block rows and columns that the grid gives to one rank.
  void count_blocks_of_rank(const Ownership& ownership);
  /// Joins the tasks of the list to the batches of the graph. `strips` are the data of the batches;
  /// see strips_in_array(). Must be called after count_blocks_of_rank().
  void make_batches(std::span<const MatrixView> strips);

 private:
  void add_lazy_tiles();
  void bind(const Task& task);
  void count_operations(Index threads);
  void bind_diagonal(const Task& task);
  void bind_factor(const Task& task);
  void bind_update(const Task& task);
  UpdateTask update_of(const Task& task);
  void bind_subtree(const Task& task);
  void bind_assemble(const Task& task);
  void bind_reduce(const Task& task);
  void bind_fill(const Task& task);

  /// Target of a task U or A: the tile or a contribution to it, and its rows of L.
  struct Target {
    Index data;
    LazyTile* lazy;
    std::span<const Index> rows;
  };
  Target target_of(const Task& task);

  void bind_fused(const Task& task);
  Shape shape_of(const Task& task, Index m, Index n, Index k) const;
  /// Returns the panel whose elimination the task belongs to. For a task of a group, this is any
  /// panel of the group.
  Index source_of(const Task& task) const;
  /// Sets the level, the l-partition and the w-partition of the panel `source` in the shape.
  void place(Index source, Shape& shape) const;
  /// Does the same for a task that all levels wait for.
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
  std::vector<UpdateTask::Piece> piece_;  ///< targets of the fused updates
  std::vector<SubtreeTask> subtree_;
  std::vector<AssembleTask> assemble_;
  std::vector<ReduceTask> reduce_;
  std::vector<FillTask> fill_;
  std::vector<Access> accesses_;  ///< accesses of the update that is being bound
  TaskList list_;
  std::optional<TaskPayloads> payloads_;
  std::optional<FactorBatches> batches_;
};

}  // namespace espalier::internal
