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

/// Where contribution blocks live: a few slots that groups share in turn, so that memory is
/// bounded. A group waits until the one that had its slot before has been assembled.
struct ContributionSlots {
  std::vector<Index> slot_of_group;  ///< -1 for a group without rows outside
  std::vector<Count> slot_entries;   ///< of the largest contribution, packed, in each slot

  Count entries() const;
};

/// Slots for a graph run by `workers`, as many as they work on at once: a worker assembles what a
/// group left before it turns to the next group.
ContributionSlots contribution_slots(const SubtreeCut& cut, Index workers);

/// The tasks of a graph bound to the memory of one factor. Data, in this order: the tiles, the
/// values of each group, the slots. Immovable: the list points into it.
class FactorTasks {
 public:
  /// `values` is the array of L, `contributions` that of all slots; both and all else outlive the
  /// object.
  FactorTasks(const PanelStructure& structure, const TaskGraph& graph,
              const ContributionSlots& slots, FactorContext& context, double* values,
              double* contributions, bool ordered_updates);
  FactorTasks(const FactorTasks&) = delete;
  FactorTasks& operator=(const FactorTasks&) = delete;

  const TaskList& list() const { return list_; }
  /// The data that holds panel p: the values of its group, or its tiles.
  std::vector<Index> data_of_panel(Index panel) const;

 private:
  void add_data(double* values, double* contributions);
  void bind(const Task& task);
  void bind_diagonal(const Task& task);
  void bind_factor(const Task& task);
  void bind_update(const Task& task);
  void bind_subtree(const Task& task);
  void bind_assemble(const Task& task);

  const Tile& tile(Index t) const { return graph_.tiling.tile[t]; }
  std::span<const Index> rows_of(const Tile& tile) const;
  Index group_data(Index group) const {
    return static_cast<Index>(graph_.tiling.tile.size()) + group;
  }
  Index slot_data(Index group) const;

  const PanelStructure& structure_;
  const TaskGraph& graph_;
  const ContributionSlots& slots_;
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
