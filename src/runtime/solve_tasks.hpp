// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "base/memory.hpp"
#include "codelets/codelet.hpp"
#include "codelets/payload/task_payload.hpp"
#include "codelets/tasks/solve.hpp"
#include "codelets/tasks/solve_tile.hpp"
#include "runtime/shared_solve_tasks.hpp"
#include "runtime/solve_input.hpp"

namespace espalier::internal {

/// Dependency of a solve on a factorization, so that the solve can be submitted before the
/// factorization ends. One task reads all data of the factor and writes one number. The tasks of
/// the solve read this number, so they need not name the tiles of L. If the factor has more data
/// than one task can use, there are several such tasks, one after the other.
class FactorReady {
 public:
  /// Each task reads at most `most` pieces of data of the factor.
  FactorReady(FactorContext& context, std::span<const DataView> factor,
              std::size_t most = most_data_of_task - 1);
  FactorReady(const FactorReady&) = delete;
  FactorReady& operator=(const FactorReady&) = delete;

  /// Returns the tasks. Their data are the number, then the data of the factor; the tasks read the
  /// data that have memory.
  const TaskList& list() const { return list_; }
  const DataView& data() const { return list_.data.front(); }

 private:
  /// Clears the mark of an earlier failure. The tasks of the solve would find it in the number.
  struct ClearMark : Arguments {
    void run(TaskData data, Worker&) const { data[0](0, 0) = 0; }
  };
  double memory_ = 0;
  ClearMark arguments_;
  TaskList list_;
};

/// Tasks of a forward and a backward solve for `columns` right-hand sides at once. Each tile of the
/// tree has one task per direction. Each divided node has another task, which fetches x from the
/// rows of its parent.
///
/// On several ranks, each rank has the tree of its domain. The steps for the shared panels, in both
/// directions, come between the forward and the backward tasks of the tree.
///
/// If accelerators may be used, they can run the tasks of divided nodes. Separate tasks then read b
/// and store x for these nodes, and the tasks of the nodes name the tiles of L that they read.
///
/// If only one direction is solved, separate tasks store the result of the forward solve, or load
/// the input of the backward solve.
///
/// The data are the segments of the nodes and of the shared panels, the FactorReady, and the tiles
/// of L that tasks name. Immovable.
class SolveTasks {
 public:
  SolveTasks(const SolveInput& input, const FactorReady& ready, Index columns);
  SolveTasks(const SolveTasks&) = delete;
  SolveTasks& operator=(const SolveTasks&) = delete;

  /// Sets the vectors of the next run: `columns` right-hand sides.
  void set_vectors(const SolveVectors& vectors) { vectors_ = vectors; }
  Index columns() const { return columns_; }
  TaskList& list() { return list_; }
  const TaskList& list() const { return list_; }
  /// Returns the messages to and from other ranks, which run between the tasks of the list.
  std::span<const Message> messages() const {
    return shared_ ? shared_->messages() : std::span<const Message>();
  }
  /// Returns the memory of all segments.
  std::vector<std::span<double>> memory() const {
    std::vector<std::span<double>> memory{local_values_.span()};
    if (shared_) memory.push_back(shared_->memory());
    return memory;
  }
  /// Returns the size of the tasks in bytes, without memory that grows with the number of
  /// right-hand sides.
  Count task_bytes() const;
  /// Returns all data before the FactorReady.
  std::span<const DataView> segments() const { return std::span(list_.data).first(ready_); }

 private:
  using Node = SolveTree::Node;

  void add_nodes(const SolveInput& input);
  void add_tree_edges(const SolveInput& input);
  void add_forward(const SolveInput& input, const SolveTree::Tile& tile, float priority);
  void add_backward(const SolveInput& input, const SolveTree::Tile& tile, float priority);
  /// Adds the same task for CPU workers only. If the tile has no panels, the task computes no
  /// product. It then only does the additional work of the first task on these rows.
  void add_forward_on_cpu(const SolveInput& input, const SolveTree::Tile& tile, float priority);
  void add_backward_on_cpu(const SolveInput& input, const SolveTree::Tile& tile, float priority);
  void add_store(const SolveInput& input, const SolveTree::Tile& tile, float priority);
  void add_all_forward(const SolveInput& input, std::span<const float> priority);
  void add_all_backward(const SolveInput& input, std::span<const float> priority);
  /// Adds the tasks that store all vectors after a forward solve, or load them before a backward
  /// solve.
  void add_stores(const SolveInput& input, std::span<const float> priority);
  void add_loads(const SolveInput& input, std::span<const float> priority);
  void add_shared(const SolveInput& input, std::span<const float> up, std::span<const float> down);
  /// Adds the task that fetches x for a divided node from its parent. Other nodes do this in their
  /// only task.
  void add_take(const SolveInput& input, const Node& node, float priority);
  /// Appends the data that a task reads to fetch x at the external rows of a node.
  void append_parent(const SolveInput& input, const Node& node,
                     std::vector<Access>& accesses) const;
  SolveArguments arguments(const SolveInput& input, const SolveTree::Tile& tile) const;
  Index ready() const { return static_cast<Index>(ready_); }

  Index columns_;
  SolveVectors vectors_;
  Buffer local_values_;
  std::vector<SolveNode> nodes_;
  std::vector<ForwardTask> forward_;
  std::vector<BackwardTask> backward_;
  std::vector<ForwardTileTask> forward_tile_;
  std::vector<BackwardTileTask> backward_tile_;
  std::vector<StoreTask> store_;
  std::vector<LoadTask> load_;
  std::size_t ready_ = 0;  ///< position of the FactorReady among the data
  TaskList list_;
  std::optional<TaskPayloads> payloads_;
  std::optional<SharedSolveTasks> shared_;
};

}  // namespace espalier::internal
