// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "codelets/payload/message.hpp"
#include "codelets/tasks/solve.hpp"

namespace espalier::internal {

// Tasks of the triangular solves on panels that several ranks share. A segment has one row of the
// vectors per column of a panel. The segments of the panels are stored one after another, by
// ascending panel, in one node's rows. The root nodes of the rank's domain add their external rows
// to these segments.

/// Initializes a segment before any tile adds to it. The segment starts with b if this rank owns
/// the diagonal tile, else with 0. Then the task adds the contributions of the domain.
struct LoadSegmentTask : VectorArguments {
  const SolveNode* node = nullptr;
  Index row_begin = 0;
  Index row_end = 0;
  /// First column of the panel; -1: the segment starts with 0 instead of b.
  Index first_column = -1;

  void run(TaskData data, Worker& worker) const;
};

/// Adds a contribution of another rank to a segment. Data: the segment; the contribution.
struct AddSegmentTask : Arguments {
  void run(TaskData data, Worker& worker) const;
};

/// All or some rows of a tile of the factor. Data: the segment of its panel, the segments of its
/// other rows and, if accelerators may run the task, the tile of the factor. Accelerators follow a
/// message. CPUs gather the rows for one product.
struct SharedTileArguments : VectorArguments {
  /// The rows; they include the whole triangle of the panel on top, or none of it.
  ConstMatrixView l;
  bool diagonal = false;         ///< whether the triangle is included
  Index first_column = 0;        ///< first column of the panel; -1: a StoreTask stores x
  std::span<const Index> place;  ///< positions of the rows below the triangle in the node
  const SolveNode* node = nullptr;
  Index panel_column = 0;  ///< first column of the panel
  MessageWriter words{};   ///< a SolveTileMessage; empty if accelerators cannot run the task

  Signs signs() const { return context->signs.at(panel_column); }
  ConstMatrixView triangle() const { return l.row_range(0, l.columns); }
  ConstMatrixView below() const {
    const Index top = diagonal ? l.columns : 0;
    return l.row_range(top, l.rows - top);
  }
  bool is_for_accelerators(const Shape& /*shape*/) const { return !words.words().empty(); }
  void write(MessageWriter& message, Workspace& /*workspace*/) const { message = words; }
  OperationCounts operations(const Shape& shape) const {
    OperationCounts counts;
    if (diagonal) counts.trsm(shape.n, l.columns);
    counts.gemm(below().rows, shape.n, l.columns);
    return counts;
  }
  /// Returns the rows of the node: in place if they are consecutive, else copied to contiguous
  /// memory.
  MatrixView gather(Worker& worker) const;
  void scatter(ConstMatrixView gathered) const;
};

/// Solves with the triangle, then subtracts the product with the other rows from the node's rows.
struct ForwardSharedTileTask : SharedTileArguments {
  void run(TaskData data, Worker& worker) const;
};

/// Subtracts the product of the transposed other rows with the node's rows, then solves with the
/// triangle. Stores x unless another task does.
struct BackwardSharedTileTask : SharedTileArguments {
  bool clears = false;  ///< whether it first clears the segment of the panel

  void run(TaskData data, Worker& worker) const;
};

}  // namespace espalier::internal
