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
  const double* values;                         ///< all of L
  const Index* old_of;                          ///< numbering of L to numbering of A
  std::span<const MatrixView> factor_pieces;    ///< L, in the pieces that the factor tasks work on
  std::vector<std::vector<Index>> factor_data;  ///< for each node, the pieces of L that it reads
};

/// Forward and backward solve for up to `columns` right-hand sides at once, one task a node and
/// direction. Data: the fronts of the nodes, then the pieces of L in their own numbering.
/// Immovable.
class SolveTasks {
 public:
  SolveTasks(const SolveInput& input, Index columns);
  SolveTasks(const SolveTasks&) = delete;
  SolveTasks& operator=(const SolveTasks&) = delete;

  /// What the next run works on; at most `columns` right-hand sides.
  void set_vectors(const SolveVectors& vectors);
  Index columns() const { return columns_; }
  const TaskList& list() const { return list_; }
  /// The fronts, which come first among the data.
  std::span<const MatrixView> fronts() const { return std::span(list_.data).first(nodes_.size()); }
  double predicted_seconds() const { return predicted_seconds_; }

 private:
  void add_nodes(const SolveInput& input);
  void add_forward(const SolveInput& input, Index node, float priority);
  void add_backward(const SolveInput& input, Index node, float priority);

  Index columns_;
  double predicted_seconds_ = 0;
  SolveVectors vectors_;
  Buffer front_values_;
  std::vector<SolveNode> nodes_;
  std::vector<std::vector<Index>> children_;
  std::vector<ForwardTask> forward_;
  std::vector<BackwardTask> backward_;
  TaskList list_;
};

}  // namespace espalier
