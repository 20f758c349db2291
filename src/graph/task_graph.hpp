// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <span>
#include <vector>

#include "base/panel_structure.hpp"
#include "base/task_kind.hpp"
#include "mapping/kernel_cost.hpp"
#include "mapping/level_partition.hpp"
#include "mapping/subtrees.hpp"
#include "mapping/tiling.hpp"

namespace espalier {

/// One task. Which fields are in use, by kind:
///
///   D  target               tile with the diagonal block
///   F  target, right        tile to scale, tile with the diagonal block
///   U  target, left, right  tile written, source tile with the rows, source tile with the columns;
///      rows and columns     ranges of rows of the *source panel*: target -= B(rows) B(columns)ᵀ.
///                           Where both begin alike only the lower trapezoid is meant (SYRK on
///                           top).
///   S  group
///   A  target, group        all updates from panels of the group
struct Task {
  struct Range {
    Index begin = 0;
    Index end = 0;
    Index size() const { return end - begin; }
  };
  TaskKind kind;
  Index group = -1;
  Index target = -1;
  Index left = -1;
  Index right = -1;
  Range rows{};
  Range columns{};
  float priority = 0;  ///< seconds from its start to the end of the graph along the longest path
  double seconds = 0;  ///< predicted
  double flops = 0;
  double inner = 0;  ///< inner dimension of its kernels, the mean by flops
};

/// Tasks in an order in which they can run one after another, with the edges between them.
struct TaskGraph {
  std::vector<Task> task;
  /// Tasks that wait for task t: successor[successor_begin[t] .. successor_begin[t+1]).
  std::vector<Count> successor_begin{0};
  std::vector<Index> successor;
  SubtreeCut cut;
  Tiling tiling;
  LevelPartition levels;  ///< for schedules with barriers; may be left empty

  Index size() const { return static_cast<Index>(task.size()); }
  std::span<const Index> successors(Index t) const {
    return {successor.data() + successor_begin[t], successor.data() + successor_begin[t + 1]};
  }
  std::array<Count, task_kinds> counts() const;
};

/// The graph of the factorization A = L Lᵀ for a cut and a tiling, priorities included.
TaskGraph build_factor_graph(const PanelStructure& structure, SubtreeCut cut, Tiling tiling,
                             const KernelCost& cost);

/// Throws std::logic_error naming the first broken invariant: an edge that does not point forward,
/// a range outside its panel, an update whose rows do not fall into its target, work left out or
/// done twice.
void check(const TaskGraph& graph, const PanelStructure& structure);

}  // namespace espalier
