// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "codelets/task_list.hpp"

namespace espalier::internal {

/// Tasks of a list that StarPU runs as one task, one after another on one worker. The shape comes
/// first, because models and schedulers expect it there. Its times and flops are sums over the
/// tasks, its path is the longest one, and its place is that of the first task.
struct TaskBatch {
  Shape shape;
  const TaskList* list;
  std::span<const Index> task;  ///< positions in the list, in a valid sequential order
  Count access_begin;           ///< accesses to pieces of data: BatchList::access
  Count access_end;
  mutable QueueRecord queued{};  ///< state that the policy changes

  FactorContext& context() const { return *list->task[task.front()].arguments->context; }
  /// Runs the tasks. `buffers` are the pieces of data, in the order of the accesses.
  void perform(TaskData buffers, Worker& worker) const;
  /// Gives the record of the queue to each task. Both functions that run a batch, the real and the
  /// simulated one, call this before the tasks.
  void note_queue() const;
};

/// Place of data that a batch receives with a larger piece.
struct PlaceInPiece {
  Index buffer = -1;  ///< number of the piece among the accesses of the batch; -1: own memory
  Index row = 0;      ///< first row of the data in the piece
};

/// All tasks of a list in batches, in a valid sequential order.
struct BatchList {
  std::vector<TaskBatch> batch;
  std::vector<Access> access;       ///< accesses of the batches; their data are pieces
  std::vector<DataView> data;       ///< the pieces
  std::vector<PlaceInPiece> place;  ///< for each access of a task: TaskList::access

  std::span<const Access> accesses(const TaskBatch& b) const {
    return {access.data() + b.access_begin, access.data() + b.access_end};
  }
};

}  // namespace espalier::internal
