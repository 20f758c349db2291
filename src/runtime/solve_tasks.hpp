// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "base/buffer.hpp"
#include "codelets/backward.hpp"
#include "codelets/forward.hpp"
#include "codelets/task_list.hpp"
#include "graph/solve_tree.hpp"
#include "mapping/kernel_cost.hpp"

namespace espalier {

/// What the tasks of a solve need of the factor.
struct SolveInput {
  const PanelStructure& structure;
  const SolveTree& tree;
  const KernelCost& cost;
  FactorContext& context;
  const double* values;  ///< all of L
  const Index* old_of;   ///< numbering of L to numbering of A
};

/// Says that a factor is complete. A solve that follows a factorization without waiting for it is
/// ordered behind it by one task, which reads all data of the factor and writes this one; the
/// solve's own tasks then need not name the pieces of L they read.
class FactorReady {
 public:
  FactorReady(FactorContext& context, std::span<const MatrixView> factor);
  FactorReady(const FactorReady&) = delete;
  FactorReady& operator=(const FactorReady&) = delete;

  /// One task. Data: this one, then those of the factor.
  const TaskList& list() const { return list_; }
  MatrixView data() const { return list_.data.front(); }

 private:
  struct NoWork : Arguments {
    void run(TaskData, Worker&) const {}
  };
  double memory_ = 0;
  NoWork arguments_;
  TaskList list_;
};

/// Forward and backward solve for `columns` right-hand sides at once: a task for each tile of the
/// tree and direction, and one for each cut node that takes x from its parent. Data: the pieces of
/// the fronts, and last the FactorReady. Immovable.
class SolveTasks {
 public:
  SolveTasks(const SolveInput& input, const FactorReady& ready, Index columns);
  SolveTasks(const SolveTasks&) = delete;
  SolveTasks& operator=(const SolveTasks&) = delete;

  /// What the next run works on: `columns` right-hand sides.
  void set_vectors(const SolveVectors& vectors) { vectors_ = vectors; }
  Index columns() const { return columns_; }
  const TaskList& list() const { return list_; }
  /// All data but the last.
  std::span<const MatrixView> pieces() const {
    return std::span(list_.data).first(list_.data.size() - 1);
  }

 private:
  void add_nodes(const SolveInput& input);
  void add_forward(const SolveInput& input, const SolveTree::Tile& tile, float priority);
  void add_backward(const SolveInput& input, const SolveTree::Tile& tile, float priority);
  /// Cut nodes alone; others take from their parent in their only task.
  void add_take(const SolveInput& input, const SolveTree::Node& node, float priority);
  SolveArguments arguments(const SolveInput& input, const SolveTree::Tile& tile) const;

  Index columns_;
  SolveVectors vectors_;
  Buffer front_values_;
  std::vector<SolveNode> nodes_;
  std::vector<ForwardTask> forward_;
  std::vector<BackwardTask> backward_;
  TaskList list_;
};

}  // namespace espalier
