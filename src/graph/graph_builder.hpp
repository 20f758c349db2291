// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "graph/edges.hpp"
#include "graph/task_graph.hpp"
#include "graph/update_parts.hpp"

namespace espalier::internal {

/// Sums of flops and seconds over the kernels of one task.
class KernelSum {
 public:
  KernelSum() = default;
  KernelSum(double flops, double seconds, double inner) { add(flops, seconds, inner); }

  /// Adds kernels with the inner dimension `inner`.
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
  /// Returns the inner dimension averaged with the flops as weights, or 0 without kernels.
  double inner() const { return flops_ > 0 ? inner_by_flops_ / flops_ : 0; }

 private:
  double flops_ = 0;
  double seconds_ = 0;
  double inner_by_flops_ = 0;
};

/// Appends tasks to a graph in a sequential order and collects the edges between them. Until
/// finish(), the seconds of a task are those of its kernels alone. Structure, costs and graph must
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

  /// Appends a task and returns its number. If tasks fill the tiles, first appends the fill task
  /// before the first writer of a tile. Throws UsageError if the number does not fit in an Index.
  Index append(const Task& task, KernelSum kernels);
  /// Appends a task that adds to its target, or to a contribution instead. Such tasks may run in
  /// any order.
  Index append_writer(const Task& task, KernelSum kernels);
  /// Appends R(t), which adds the contribution to tile t.
  Index append_reduce(Index t, Index contribution);
  /// Appends a message that takes effect after the tasks appended so far.
  void append_message(Message message);

  /// Adds edges, the times of fills, and priorities to the tasks.
  void finish(Index threads = 1);

 private:
  const PanelStructure& structure_;
  const KernelCost& cost_;
  Fill fill_;
  TaskGraph& graph_;
  UpdateParts parts_;
  EdgeList edges_;
};

}  // namespace espalier::internal
