// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "base/memory.hpp"
#include "codelets/task_list.hpp"
#include "codelets/tasks/shared_solve.hpp"
#include "graph/shared_solve.hpp"
#include "graph/task_graph.hpp"
#include "runtime/solve_input.hpp"

namespace espalier::internal {

/// Tasks for the steps of a SharedSolve, bound to memory, for a number of right-hand sides. Their
/// data are the segments. After these, the list has a FactorReady and, if accelerators may run the
/// tasks, the tiles of the factor. In that case separate tasks store x. Immovable.
class SharedSolveTasks {
 public:
  /// Appends the data to `list`. `vectors` are the vectors of the current run.
  SharedSolveTasks(const SolveInput& input, const SolveVectors& vectors, Index columns,
                   TaskList& list);
  SharedSolveTasks(const SharedSolveTasks&) = delete;
  SharedSolveTasks& operator=(const SharedSolveTasks&) = delete;

  /// Node that has all segments of rows. It is the parent of the roots of the domain.
  SolveNode& node() { return node_; }
  /// Returns the segments of rows that have some of these columns of L. The columns must ascend.
  std::vector<Index> segments_of(std::span<const Index> rows) const;
  Index data(Index segment) const { return first_data_ + segment; }

  /// Appends the tasks of the forward solve. `left` has, per segment of rows, the data that hold
  /// the contributions of the domain to the segment. `priority` has the priority of each shared
  /// panel. All tasks run after `ready` is written.
  void append_forward(const std::vector<std::vector<Index>>& left, Index ready,
                      std::span<const float> priority);
  void append_backward(std::span<const float> priority);
  /// Returns the memory of all segments.
  std::span<double> memory() const { return values_.span(); }
  /// Returns the size in bytes of the tasks that this object owns, without the segments.
  Count task_bytes() const;
  /// Returns the messages among the tasks of the list.
  std::span<const Message> messages() const { return message_; }

 private:
  void add_local_vector();
  void place_tiles();
  void append(const SharedSolve::Step& step, TaskKind kind, float priority);
  void append_load(Index segment, std::span<const Index> left, Index ready, float priority);
  void append_message(const SharedSolve::Step& step, Message::Kind kind, float priority);
  void append_add(const SharedSolve::Step& step, TaskKind kind, float priority);
  void append_tile(const SharedSolve::Step& step, TaskKind kind, float priority);
  void append_store(Index segment, float priority);
  SharedTileArguments arguments(Index tile) const;
  /// Returns the message for an accelerator that runs a task on the tile. The message has one block
  /// per run of consecutive rows in one of these segments.
  MessageWriter words_of(Index tile, std::span<const Index> segments, bool clears) const;
  Shape shape_of_tile(TaskKind kind, const SharedSolve::Tile& tile) const;
  /// Returns the rows of a tile below the triangle of its panel.
  std::span<const Index> rows_below(const SharedSolve::Tile& tile) const;
  Shape shape_of(TaskKind kind, Index rows, Index inner, double entries) const;
  std::span<const Index> place_of(Index tile) const {
    return {place_.data() + place_begin_[tile], place_.data() + place_begin_[tile + 1]};
  }
  bool owns(Index panel) const {
    const Index k = panel - solve_.first_panel;
    return solve_.rows[k] >= 0 && solve_.rows[k] == solve_.columns[k];
  }

  SolveInput input_;
  const SharedSolve& solve_;
  const SolveVectors& vectors_;
  Index columns_;
  TaskList& list_;
  Index first_data_;
  Index first_tile_;
  bool devices_;  ///< accelerators may run the tasks
  Buffer values_;
  SolveNode node_;
  std::vector<Index> node_row_;  ///< column of L for each row of all segments of rows
  /// Positions in node_row_ of the rows below the triangles, tile by tile.
  std::vector<Index> place_;
  std::vector<Count> place_begin_;  ///< begin of each tile in place_
  std::vector<LoadSegmentTask> load_;
  std::vector<ForwardSharedTileTask> forward_;
  std::vector<BackwardSharedTileTask> backward_;
  std::vector<StoreTask> store_;
  AddSegmentTask add_;
  std::vector<Message> message_;
};

}  // namespace espalier::internal
