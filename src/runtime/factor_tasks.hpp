// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "codelets/assemble.hpp"
#include "codelets/diagonal.hpp"
#include "codelets/factor.hpp"
#include "codelets/subtree.hpp"
#include "codelets/task_list.hpp"
#include "codelets/update.hpp"
#include "graph/task_graph.hpp"

namespace espalier {

/// The tasks of a graph bound to the memory of one factor. Data, in this order: the tiles, the
/// values of each group. Immovable: the list points into it.
class FactorTasks {
 public:
  /// `values` is the array of L; it and all else outlive the object.
  FactorTasks(const PanelStructure& structure, const TaskGraph& graph, FactorContext& context,
              double* values, bool ordered_updates);
  FactorTasks(const FactorTasks&) = delete;
  FactorTasks& operator=(const FactorTasks&) = delete;

  const TaskList& list() const { return list_; }

 private:
  void add_data(double* values);
  void bind(const Task& task);
  void bind_diagonal(const Task& task);
  void bind_factor(const Task& task);
  void bind_update(const Task& task);
  void bind_subtree(const Task& task);
  void bind_assemble(const Task& task);

  /// The panel with this column of L.
  Index panel_of(Index row) const;
  Shape shape_of(const Task& task, Index m, Index n, Index k) const;
  /// The panel whose elimination the task is part of; of a group, any.
  Index source_of(const Task& task) const;
  /// Enters where a panel is among the levels.
  void place(Index source, Shape& shape) const;

  const Tile& tile(Index t) const { return graph_.tiling.tile[t]; }
  std::span<const Index> rows_of(const Tile& tile) const;
  Index group_data(Index group) const {
    return static_cast<Index>(graph_.tiling.tile.size()) + group;
  }

  const PanelStructure& structure_;
  const TaskGraph& graph_;
  FactorContext& context_;
  AccessMode update_mode_;

  std::vector<LazyTile> lazy_;
  std::vector<DiagonalTask> diagonal_;
  std::vector<FactorTask> factor_;
  std::vector<UpdateTask> update_;
  std::vector<SubtreeTask> subtree_;
  std::vector<AssembleTask> assemble_;
  TaskList list_;
};

}  // namespace espalier
