// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "graph/edges.hpp"
#include "graph/task_graph.hpp"
#include "graph/update_parts.hpp"

namespace espalier::internal {

/// The kernels of one task together.
class KernelSum {
 public:
  KernelSum() = default;
  KernelSum(double flops, double seconds, double inner) { add(flops, seconds, inner); }

  /// Adds kernels whose operations have the inner dimension `inner`.
  void add(double flops, double seconds, double inner) {
    flops_ += flops;
    seconds_ += seconds;
    inner_by_flops_ += flops * inner;
  }
  void add(const UpdateSize& size, const KernelCost& cost, Target target) {
    add(size.flops(), size.seconds(cost, target), size.inner);
  }

  double flops() const { return flops_; }
  double seconds() const { return seconds_; }
  /// The mean of the inner dimensions by flops, 0 where there are none.
  double inner() const { return flops_ > 0 ? inner_by_flops_ / flops_ : 0; }

 private:
  double flops_ = 0;
  double seconds_ = 0;
  double inner_by_flops_ = 0;
};

/// Appends tasks to a graph in a sequential order, and collects the edges between them. Until
/// finish() the seconds of a task are those of its kernels alone. Structure, costs and graph
/// outlive the object.
class GraphBuilder {
 public:
  GraphBuilder(const PanelStructure& structure, const KernelCost& cost, Fill fill,
               TaskGraph& graph);

  const PanelStructure& structure() const { return structure_; }
  const KernelCost& cost() const { return cost_; }
  const UpdateParts& parts() const { return parts_; }
  TaskGraph& graph() { return graph_; }
  EdgeList& edges() { return edges_; }

  /// Appends a task, and before the first one that writes a tile the one that fills it, where the
  /// graph has such tasks. Returns its number. Throws UsageError if an Index does not hold that.
  Index append(const Task& task, KernelSum kernels);
  /// Appends a task that adds to its target, or to what this rank contributes to that, in any order
  /// among such tasks.
  Index append_writer(const Task& task, KernelSum kernels);
  /// Appends R(t): the contribution is added to tile t.
  Index append_reduce(Index t, Index contribution);
  /// Says what happens to data after the tasks that were appended.
  void append_message(Message message);

  /// Completes the tasks by their edges, fills and priorities.
  void finish();

 private:
  const PanelStructure& structure_;
  const KernelCost& cost_;
  Fill fill_;
  TaskGraph& graph_;
  UpdateParts parts_;
  EdgeList edges_;
};

}  // namespace espalier::internal
