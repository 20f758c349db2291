// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/panel_structure.hpp"
#include "base/task_kind.hpp"
#include "mapping/kernel_cost.hpp"
#include "mapping/level_partition.hpp"
#include "mapping/local_structure.hpp"
#include "mapping/offload.hpp"
#include "mapping/subtrees.hpp"
#include "mapping/tiling.hpp"

namespace espalier::internal {

/// One task. Which fields are in use, by kind:
///
///   D  target               tile with the diagonal block
///   F  target, right        tile to scale, tile with the diagonal block
///   U  target, left, right  tile written, source tile with the rows, source tile with the columns;
///      rows and columns     ranges of rows of the *source panel*: target -= B(rows) B(columns)ᵀ.
///                           Where both begin alike only the lower trapezoid is meant (SYRK on
///                           top).
///      parts                where one task has several targets: all of them, as range of
///                           TaskGraph::part. Its own fields are then those of the first one, but
///                           for flops and seconds, which are sums.
///      fused                says that the parts have the same columns and consecutive rows, and
///      are
///                           one product, whose rows are the task's: SYRK and GEMM by one block.
///   S  group
///   A  target, group        all updates from panels of the group
///   R  target, contribution tile += contribution of another rank, or shadow; or what this rank
///                           contributes to the tile += its shadow
///   fill  target            tile := entries of A, before all other tasks that write it
///      target, contribution the tile's shadow := 0
///
/// U and A with a contribution subtract from that instead of the tile, which another rank owns or
/// which has a shadow on a device.
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
  Index contribution = -1;
  Range rows{};
  Range columns{};
  Range parts{};
  float priority = 0;  ///< seconds from its start to the end of the graph along the longest path
  double seconds = 0;  ///< predicted
  double kernels = 0;  ///< seconds that its kernels add up to, without what else it takes
  double flops = 0;
  double inner = 0;  ///< inner dimension of its kernels, the mean by flops
  bool fused = false;
  float tail = 0;  ///< seconds of the longest path on other ranks that waits for it
};

/// What the rows and columns of an update multiply.
inline UpdateSize size_of(Task::Range rows, Task::Range columns, double inner) {
  return {static_cast<double>(rows.size()), static_cast<double>(columns.size()), inner,
          rows.begin == columns.begin};
}

/// What the subtrees of one rank contribute to a tile that another one owns: all columns of the
/// tile, and those of its rows that any of these subtrees has, contribution_row[row_begin ..
/// row_end). Or the shadow of a tile: what the updates on a device contribute, with their rows.
/// Shadows come last.
struct Contribution {
  Index tile;
  Index rank;  ///< the one whose subtrees contribute; of a shadow, the one that has it
  Count row_begin;
  Count row_end;
  Index device = -1;  ///< the one that has this shadow; -1: this is no shadow
  Index into = -1;    ///< of a shadow: the contribution that it is added to instead of the tile

  bool is_shadow() const { return device >= 0; }
};

/// What happens to data of a rank when all tasks before task `before` are submitted. Data are
/// counted: tiles, groups, contributions.
struct Message {
  enum class Kind : std::uint8_t {
    begin,    ///< a contribution that this rank makes gets memory
    send,     ///< data leave for another rank
    end,      ///< the contribution has left: the memory is freed
    receive,  ///< data come from another rank into new memory
    release,  ///< what was received is no longer needed: the memory is freed
    discard,  ///< a shadow, whose memory is StarPU's, is no longer needed
  };
  Kind kind;
  Index data;
  Index rank = -1;  ///< the rank at the other end
  Index tag = -1;   ///< with the sender, the receiver and the tag a message is unique
  Index before = 0;
  float priority = 0;       ///< that of a task which starts where the message arrives
  Count room = 0;           ///< bytes of the group that it begins, see enter_room()
  bool for_device = false;  ///< the first task to read what is received runs on a device
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
  /// What this rank contributes to others and they to it, where there are several ranks; then
  /// shadows.
  std::vector<Contribution> contribution;
  std::vector<Index> contribution_row;
  std::vector<Task> part;        ///< the parts of tasks U with several targets
  std::vector<Message> message;  ///< by ascending `before`

  Index size() const { return static_cast<Index>(task.size()); }
  std::span<const Index> successors(Index t) const {
    return {successor.data() + successor_begin[t], successor.data() + successor_begin[t + 1]};
  }
  std::array<Count, task_kinds> counts() const;
  /// Returns the parts of a U, the task itself where it has one target.
  std::span<const Task> parts(const Task& task) const {
    if (task.parts.size() == 0) return {&task, 1};
    return {part.data() + task.parts.begin, part.data() + task.parts.end};
  }
  Count entries_of(const PanelStructure& structure, const Contribution& c) const {
    return (c.row_end - c.row_begin) * structure.width(tiling.tile[c.tile].panel);
  }
  std::span<const Index> rows_of(const Contribution& c) const {
    return {contribution_row.data() + c.row_begin, contribution_row.data() + c.row_end};
  }
  /// The contribution that a task writes instead of its target, or -1.
  Index written_instead(const Task& task) const {
    const bool reads = task.kind == TaskKind::reduce && task.contribution >= 0;
    return reads ? contribution[task.contribution].into : task.contribution;
  }
  /// Returns the number of the first shadow among the contributions.
  Index first_shadow() const;
  Index group_data(Index group) const { return static_cast<Index>(tiling.tile.size()) + group; }
  Index contribution_data(Index c) const {
    return group_data(static_cast<Index>(cut.groups.size())) + c;
  }
};

/// Who sets a tile to the entries of A: the task that writes it first, while it is hot, or one of
/// its own, as accelerators do not have A.
enum class Fill : std::uint8_t { by_first_writer, by_tasks };

/// The graph of the factorization A = L Lᵀ for a cut and a tiling, priorities included.
/// `block_seconds` are those of block_seconds() with the same costs. What the offload plan, where
/// there is one, gives to devices is written to shadows; tiles are then filled by tasks.
TaskGraph build_factor_graph(const PanelStructure& structure, SubtreeCut cut, Tiling tiling,
                             const KernelCost& cost, std::span<const double> block_seconds,
                             Fill fill = Fill::by_first_writer,
                             const OffloadPlan* offload = nullptr);

/// The tasks that one of several ranks runs (Exchange::participates()), with what it sends and
/// receives. The cut is one of its domain alone; all ranks tile alike. In the order of any rank,
/// tasks and messages follow one order of all, so that each rank may wait for any of its messages.
/// Cost O(tasks of the rank + pairs of blocks of the shared panels). The first writers of
/// contributions set them to zero, whoever fills tiles. The offload plan is the rank's, with its
/// own_updates().
TaskGraph build_factor_graph(const PanelStructure& structure, const Ownership& ownership,
                             SubtreeCut cut, Tiling tiling, const KernelCost& cost,
                             std::span<const double> block_seconds,
                             Fill fill = Fill::by_first_writer,
                             const OffloadPlan* offload = nullptr);

/// Throws std::logic_error naming the first broken invariant: an edge that does not point forward,
/// a range outside its panel, an update whose rows do not fall into its target, work left out or
/// done twice.
void check(const TaskGraph& graph, const PanelStructure& structure);

/// Sets every task's priority to its bottom level: the predicted seconds of the longest path from
/// its start to the end of the graph, the tails on other ranks included (Kwok and Ahmad, ACM
/// Computing Surveys 31(4), 1999). Tasks that add to one tile can run in any order, but only one
/// after the other: on a path, they stand in the order of the graph. Without that, what is added to
/// the last tiles is put off until nothing else is left to do beside it. Cost O(tasks + edges).
void set_priorities(TaskGraph& graph);

/// Predicted seconds of the longest path, whatever the order of what is added to a tile: no number
/// of workers is faster. Cost O(tasks + edges).
double critical_path(const TaskGraph& graph);
/// Returns the same by other seconds of the tasks.
double critical_path(const TaskGraph& graph, std::span<const double> seconds);

}  // namespace espalier::internal
