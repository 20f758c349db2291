// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "base/dense.hpp"
#include "codelets/batch.hpp"
#include "graph/task_graph.hpp"

namespace espalier::internal {

/// The batches of a graph, bound to the tasks of a list. Immovable, because policies write into the
/// batches.
class FactorBatches {
 public:
  /// The list has the tasks of the graph, in the same order. `strips` are the strips of the graph.
  /// Graph and list must outlive the object.
  FactorBatches(const TaskGraph& graph, const TaskList& list, std::span<const MatrixView> strips);
  FactorBatches(const FactorBatches&) = delete;
  FactorBatches& operator=(const FactorBatches&) = delete;

  const BatchList& list() const { return batches_; }

 private:
  void add(std::span<const Index> tasks);
  /// Returns the number of the strip of a tile among the accesses of the current batch, and adds
  /// the access if there is none. The strip is written if any of its tiles is.
  Index access_to(Index strip, AccessMode mode);
  Shape shape_of(std::span<const Index> tasks) const;

  const TaskGraph& graph_;
  const TaskList& list_;
  std::vector<Index> first_row_;  ///< for each tile, its first row in its strip
  std::vector<Index>
      number_;         ///< for each strip, its number among the accesses of the batch, or -1
  Count current_ = 0;  ///< first access of the current batch
  BatchList batches_;
};

}  // namespace espalier::internal
