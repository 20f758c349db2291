// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "codelets/payload/message.hpp"
#include "codelets/tasks/solve.hpp"

namespace espalier::internal {

// Tasks on panels that several ranks share, in the triangular solves. A segment is a row of the
// vectors for each column of a panel. Those that tiles add to or take from stand one after another
// in one front, by ascending panel, to which the domain's roots leave their external rows.

/// A segment of that front as it is before any tile adds to it: b where this rank owns the diagonal
/// tile, else 0, and what the domain left.
struct LoadSegmentTask : VectorArguments {
  const SolveNode* front = nullptr;
  Index row_begin = 0;
  Index row_end = 0;
  Index first_column = -1;  ///< the panel's first one; -1: the segment is 0 instead of b

  void run(TaskData data, Worker& worker) const;
};

/// Data: a segment, and what another rank adds to it.
struct AddSegmentTask : Arguments {
  void run(TaskData data, Worker& worker) const;
};

/// All or some rows of a tile of the factor. Data: the segment of its panel, the segments with its
/// other rows and, if accelerators may take part, the tile of the factor. Accelerators follow a
/// message; CPUs gather the rows for one product.
struct SharedTileArguments : VectorArguments {
  ConstMatrixView l;             ///< the rows, with the triangle of the panel on top or none of it
  bool diagonal = false;         ///< the triangle is there
  Index first_column = 0;        ///< the panel's first one; -1: a StoreTask stores x
  std::span<const Index> place;  ///< where the rows below the triangle are in the front
  const SolveNode* front = nullptr;
  MessageWriter words{};  ///< a SolveTileMessage, none where accelerators take no part

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
  /// Returns the rows of the front, in place where they follow one another, else copied together.
  MatrixView gather(Worker& worker) const;
  void scatter(ConstMatrixView gathered) const;
};

/// Solves with the triangle, then subtracts the product with the rest from the front.
struct ForwardSharedTileTask : SharedTileArguments {
  void run(TaskData data, Worker& worker) const;
};

/// Subtracts the product of the transposed rest with the front; then solves with the triangle and,
/// unless another task does, stores x.
struct BackwardSharedTileTask : SharedTileArguments {
  bool clears = false;  ///< it first clears the segment of the panel

  void run(TaskData data, Worker& worker) const;
};

}  // namespace espalier::internal
