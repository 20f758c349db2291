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

/// One task. The fields in use depend on its kind:
///
///   D  target               tile with the diagonal block
///   F  target, right        tile to scale, tile with the diagonal block
///   U  target, left, right  tile to write, source tile with the rows, source tile with the columns
///      rows and columns     ranges of rows of the *source panel*: target -= B(rows) B(columns)ᵀ.
///                           If both begin with the same row, only the lower trapezoid is
///                           updated (SYRK on top).
///      parts                all targets, as a range of TaskGraph::part, if there are several. The
///                           other fields are then those of the first part, except that flops and
///                           seconds are sums, and tail is the maximum.
///      fused                the parts have the same columns and consecutive rows, and are one
///                           product with the rows of the task: SYRK and GEMM by one block. Their
///                           kernels are summed, too. The task's seconds are predicted from the
///                           sums.
///   S  group
///   A  target, group        all updates by panels of the group
///   R  target, contribution tile += contribution of another rank, or += shadow;
///                           or this rank's contribution to the tile += its shadow
///   fill  target            tile := entries of A, before all other tasks that write it
///      target, contribution the tile's shadow := 0
///
/// A U or A with a contribution subtracts from the contribution instead of the tile, because
/// another rank owns the tile or the tile has a shadow on a device.
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
  /// Predicted seconds from its start to the end of the graph along the longest path.
  float priority = 0;
  double seconds = 0;  ///< predicted
  double kernels = 0;  ///< predicted seconds of its kernels alone, without overheads
  double flops = 0;
  double inner = 0;  ///< inner dimension of its kernels, averaged with their flops as weights
  bool fused = false;
  float tail = 0;  ///< predicted seconds of the longest path on other ranks that waits for the task
};

/// Returns the size of the product of an update.
inline UpdateSize size_of(Task::Range rows, Task::Range columns, double inner) {
  return {static_cast<double>(rows.size()), static_cast<double>(columns.size()), inner,
          rows.begin == columns.begin};
}

/// A sum that is added to a tile later. There are two kinds; shadows come after all others.
/// - The contribution of one rank to a tile of another rank: the sum of the updates by the rank's
///   subtrees, and in a fan-both or 3D map also by shared panels. It has all columns of the tile,
///   and the rows that any of these updates has: contribution_row[row_begin .. row_end).
/// - The shadow of a tile: the sum of the updates on one device, with their rows.
struct Contribution {
  Index tile;
  Index rank;  ///< the rank that contributes, or that has the shadow
  Count row_begin;
  Count row_end;
  Index device = -1;  ///< the device with this shadow; -1 if this is not a shadow
  Index into = -1;    ///< for a shadow, the contribution to which it is added instead of the tile

  bool is_shadow() const { return device >= 0; }
};

/// An action on data of a rank after all tasks before task `before` have been submitted. The number
/// `data` stands for a tile, a group or a contribution, which are numbered one kind after the
/// other.
struct Message {
  enum class Kind : std::uint8_t {
    begin,    ///< allocate memory for a contribution that this rank makes
    send,     ///< send data to another rank
    end,      ///< free a contribution that has been sent
    receive,  ///< receive data from another rank into new memory
    release,  ///< free received data that are no longer needed
    discard,  ///< drop a shadow, whose memory StarPU manages
  };
  Kind kind;
  Index data;
  Index rank = -1;  ///< the rank at the other end
  Index tag = -1;   ///< unique among the messages from one rank to another
  Index before = 0;
  float priority = 0;  ///< priority of a task that would start when the message arrives
  /// Bytes of the group of data that the message begins; see set_group_bytes().
  Count group_bytes = 0;
  bool for_device = false;  ///< the first task that reads the received data runs on a device
};

/// Tasks that StarPU gets as one task, and the pieces of data that it gets instead of tiles; made
/// by batch_tasks(). A strip has the tiles of one panel with one owner. A batch has the tasks with
/// one source panel and one owner: D and F of one strip, or U, or all of them. The tasks of a batch
/// and the tiles of a strip ascend. Batches are in a valid sequential order.
struct Batches {
  std::vector<Index> tile;            ///< tiles by strip
  std::vector<Index> strip_begin{0};  ///< tiles of strip s: tile[strip_begin[s] .. [s+1])
  std::vector<Index> strip_of;        ///< for each tile, its strip
  std::vector<Index> task;            ///< tasks by batch
  std::vector<Index> batch_begin{0};  ///< tasks of batch b: task[batch_begin[b] .. [b+1])
  /// Messages between ranks, by ascending `before`. `data` is a strip, and `before` is a batch.
  std::vector<Message> message;

  Index size() const { return static_cast<Index>(batch_begin.size()) - 1; }
  bool empty() const { return size() == 0; }
  Index strips() const { return static_cast<Index>(strip_begin.size()) - 1; }
  std::span<const Index> tasks(Index batch) const {
    return {task.data() + batch_begin[batch], task.data() + batch_begin[batch + 1]};
  }
  std::span<const Index> tiles(Index strip) const {
    return {tile.data() + strip_begin[strip], tile.data() + strip_begin[strip + 1]};
  }
};

/// Tasks in a valid sequential order, and the edges between them.
struct TaskGraph {
  std::vector<Task> task;
  /// Tasks that wait for task t: successor[successor_begin[t] .. successor_begin[t+1]).
  std::vector<Count> successor_begin{0};
  std::vector<Index> successor;
  SubtreeCut cut;
  Tiling tiling;
  LevelPartition levels;  ///< for schedules with barriers; may be empty
  /// Contributions between this rank and others, then shadows.
  std::vector<Contribution> contribution;
  std::vector<Index> contribution_row;
  std::vector<Task> part;        ///< parts of the tasks U that have several targets
  std::vector<Message> message;  ///< by ascending `before`
  Batches batches;               ///< empty: each task is submitted by itself

  Index size() const { return static_cast<Index>(task.size()); }
  std::span<const Index> successors(Index t) const {
    return {successor.data() + successor_begin[t], successor.data() + successor_begin[t + 1]};
  }
  std::array<Count, task_kinds> counts() const;
  /// Returns the parts of a U; a task with one target is its own only part.
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
  /// Returns the contribution that a task writes instead of its target, or -1.
  Index written_instead(const Task& task) const {
    const bool reads = task.kind == TaskKind::reduce && task.contribution >= 0;
    return reads ? contribution[task.contribution].into : task.contribution;
  }
  /// Returns the number of tasks that StarPU gets.
  Index submitted() const { return batches.empty() ? size() : batches.size(); }
  /// Returns the messages that the ranks really exchange: of strips if there are batches.
  std::span<const Message> transfers() const { return batches.empty() ? message : batches.message; }
  /// Returns the number of pieces of data that StarPU gets.
  Index pieces() const {
    return batches.empty() ? contribution_data(static_cast<Index>(contribution.size()))
                           : batches.strips();
  }
  /// Returns the panel whose elimination a task D, F or U belongs to.
  Index source_of(const Task& t) const {
    return tiling.tile[t.kind == TaskKind::update ? t.left : t.target].panel;
  }
  /// Returns the number of the first shadow among the contributions.
  Index first_shadow() const;
  Index group_data(Index group) const { return static_cast<Index>(tiling.tile.size()) + group; }
  Index contribution_data(Index c) const {
    return group_data(static_cast<Index>(cut.groups.size())) + c;
  }
};

/// The task that sets a tile to the entries of A: the first task that writes the tile, or a
/// separate task fill. Accelerators need separate tasks because they do not have A.
enum class Fill : std::uint8_t { by_first_writer, by_tasks };

/// Returns the graph of the factorization A = L Lᵀ for a cut and a tiling, with priorities.
/// `block_seconds` must come from block_seconds() with the same costs. If there is an offload plan,
/// devices write their updates to shadows. Use Fill::by_tasks then.
TaskGraph build_factor_graph(const PanelStructure& structure, SubtreeCut cut, Tiling tiling,
                             const KernelCost& cost, std::span<const double> block_seconds,
                             Fill fill = Fill::by_first_writer,
                             const OffloadPlan* offload = nullptr);

/// Returns the tasks that one of several ranks runs (Exchange::participates()), and its messages.
/// The cut covers only the rank's domain. All ranks must have the same tiling of shared panels.
/// Tasks and messages of every rank follow one common order, so ranks that wait for messages cannot
/// deadlock. The first writer of a contribution sets it to zero, for both values of `fill`. The
/// offload plan must be made with own_updates() of this rank. `threads` threads predict the times
/// of tasks; the graph does not depend on their number. Cost O(tasks of the rank + pairs of blocks
/// of the shared panels).
TaskGraph build_factor_graph(const PanelStructure& structure, const Ownership& ownership,
                             SubtreeCut cut, Tiling tiling, const KernelCost& cost,
                             std::span<const double> block_seconds,
                             Fill fill = Fill::by_first_writer,
                             const OffloadPlan* offload = nullptr, Index threads = 1);

/// Throws std::logic_error with the first broken invariant: an edge that does not point forward, a
/// range outside its tile, an update whose rows are not in its target, or work that is missing or
/// done twice.
void check(const TaskGraph& graph, const PanelStructure& structure);

/// Sets the priority of each task to its bottom level: the predicted seconds of the longest path
/// from its start to the end of the graph, including the tails on other ranks (Kwok and Ahmad, ACM
/// Computing Surveys 31(4), 1999). Tasks that add to the same tile may run in any order, but only
/// one at a time, so a path visits them in the order of the graph. Otherwise the additions to the
/// last tiles would be delayed until no other tasks could run in parallel with them. Cost O(tasks +
/// edges).
void set_priorities(TaskGraph& graph);

/// Returns the predicted seconds of the longest path, a lower bound for any number of workers.
/// Tasks that add to the same tile are not ordered. Cost O(tasks + edges).
double critical_path(const TaskGraph& graph);
/// Returns the length of the longest path if task t takes seconds[t].
double critical_path(const TaskGraph& graph, std::span<const double> seconds);

}  // namespace espalier::internal
