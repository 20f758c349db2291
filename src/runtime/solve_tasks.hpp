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

/// Says that a factor is complete. A solve that follows a factorization without waiting for it is
/// ordered behind it by one task, which reads all data of the factor and writes this one; the
/// solve's own tasks then need not name the pieces of L they read. A factor with more pieces than a
/// task can use has several such tasks, one after the other.
class FactorReady {
 public:
  /// No task reads more than `most` pieces of data of the factor.
  FactorReady(FactorContext& context, std::span<const DataView> factor,
              std::size_t most = most_data_of_task - 1);
  FactorReady(const FactorReady&) = delete;
  FactorReady& operator=(const FactorReady&) = delete;

  /// Returns the tasks. The data are this one, then those of the factor, of which the tasks read
  /// those with memory.
  const TaskList& list() const { return list_; }
  const DataView& data() const { return list_.data.front(); }

 private:
  struct NoWork : Arguments {
    void run(TaskData, Worker&) const {}
  };
  double memory_ = 0;
  NoWork arguments_;
  TaskList list_;
};

/// Forward and backward solve for `columns` right-hand sides at once: a task for each tile of the
/// tree and direction, and one for each cut node that takes x from its parent. On several ranks
/// the tree is that of the rank's domain, and between the two directions in it come the steps for
/// the shared panels in both. Where accelerators may take part they can run the tasks of cut nodes,
/// which then name the tiles of L that they read, and tasks of their own take b there and store x.
/// Where one direction alone is solved, tasks of their own store what the forward solve ends with,
/// or load what the backward solve begins with. Data: the segments of the fronts and of
/// shared panels, the FactorReady, those tiles. Immovable.
class SolveTasks {
 public:
  SolveTasks(const SolveInput& input, const FactorReady& ready, Index columns);
  SolveTasks(const SolveTasks&) = delete;
  SolveTasks& operator=(const SolveTasks&) = delete;

  /// Sets what the next run works on: `columns` right-hand sides.
  void set_vectors(const SolveVectors& vectors) { vectors_ = vectors; }
  Index columns() const { return columns_; }
  const TaskList& list() const { return list_; }
  /// Returns the messages to and from other ranks, among the tasks of the list.
  std::span<const Message> messages() const {
    return shared_ ? shared_->messages() : std::span<const Message>();
  }
  /// Returns the memory of all segments.
  std::vector<std::span<double>> memory() const {
    std::vector<std::span<double>> memory{front_values_.span()};
    if (shared_) memory.push_back(shared_->memory());
    return memory;
  }
  /// Returns the bytes of the tasks, without what grows with the number of right-hand sides.
  Count task_bytes() const;
  /// Returns all data before the FactorReady.
  std::span<const DataView> segments() const { return std::span(list_.data).first(ready_); }

 private:
  using Node = SolveTree::Node;

  void add_nodes(const SolveInput& input);
  void add_tree_edges(const SolveInput& input);
  void add_forward(const SolveInput& input, const SolveTree::Tile& tile, float priority);
  void add_backward(const SolveInput& input, const SolveTree::Tile& tile, float priority);
  /// Adds the same on CPUs alone; without panels only what the first task on rows does besides.
  void add_forward_on_cpu(const SolveInput& input, const SolveTree::Tile& tile, float priority);
  void add_backward_on_cpu(const SolveInput& input, const SolveTree::Tile& tile, float priority);
  void add_store(const SolveInput& input, const SolveTree::Tile& tile, float priority);
  void add_all_forward(const SolveInput& input, std::span<const float> priority);
  void add_all_backward(const SolveInput& input, std::span<const float> priority);
  /// Adds what stores all vectors after a forward solve, or loads them before a backward one.
  void add_stores(const SolveInput& input, std::span<const float> priority);
  void add_loads(const SolveInput& input, std::span<const float> priority);
  void add_shared(const SolveInput& input, std::span<const float> up, std::span<const float> down);
  /// Adds the task of a cut node; others take from their parent in their only task.
  void add_take(const SolveInput& input, const Node& node, float priority);
  /// Appends what a task reads that takes x at the external rows of a node.
  void append_parent(const SolveInput& input, const Node& node,
                     std::vector<Access>& accesses) const;
  SolveArguments arguments(const SolveInput& input, const SolveTree::Tile& tile) const;
  Index ready() const { return static_cast<Index>(ready_); }

  Index columns_;
  SolveVectors vectors_;
  Buffer front_values_;
  std::vector<SolveNode> nodes_;
  std::vector<ForwardTask> forward_;
  std::vector<BackwardTask> backward_;
  std::vector<ForwardTileTask> forward_tile_;
  std::vector<BackwardTileTask> backward_tile_;
  std::vector<StoreTask> store_;
  std::vector<LoadTask> load_;
  std::size_t ready_ = 0;  ///< position of what is ready among the data
  TaskList list_;
  std::optional<TaskPayloads> payloads_;
  std::optional<SharedSolveTasks> shared_;
};

}  // namespace espalier::internal
