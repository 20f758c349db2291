// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "codelets/context.hpp"
#include "codelets/payload/message.hpp"
#include "codelets/relative_indices.hpp"

namespace espalier::internal {

/// U(a,t): target tile -= rows of one source tile times the transpose of rows of another, through
/// index maps. If several targets have the same sources, they are updated one after another. Data:
/// the targets; the source tile with the rows; the source tile with the columns if it is another
/// one.
///
/// A fused update is one product for several targets. The targets are tiles of one panel. The
/// source tiles with the rows also belong to one panel. Each panel is one array, and the data are
/// parts of it. Data: the targets; the source tiles with the rows; the source tile with the columns
/// if it is none of them.
struct UpdateTask : TileArguments {
  /// One of the targets of a fused update.
  struct Piece {
    LazyTile* tile;
    RowRange rows;  ///< its part of target_rows
  };

  /// Rows of L in the target tile; fused: from the first row of the first tile to the last row of
  /// the last tile.
  std::span<const Index> target_rows{};
  Index target_column = 0;                  ///< first column of the target tile
  std::span<const Index> source_rows{};     ///< rows of L that are updated
  std::span<const Index> source_columns{};  ///< columns of L that are updated
  Index left_row = 0;                       ///< position of the first of source_rows in their tile
  Index right_row = 0;  ///< position of the first of source_columns in their tile
  bool lower = false;   ///< rows and columns begin alike: only the trapezoid below the diagonal
  const UpdateTask* next = nullptr;  ///< the task with the next target, or null
  std::span<const Piece> pieces{};   ///< the targets of a fused update
  /// Fused: none of the tiles with the rows has the columns; otherwise the first one has them.
  bool right_apart = false;
  Index source_column = 0;  ///< first column of the source panel

  Index targets() const {
    if (!pieces.empty()) return static_cast<Index>(pieces.size());
    return next == nullptr ? 1 : 1 + next->targets();
  }
  void run(TaskData data, Worker& worker) const;
  void write(MessageWriter& message, Workspace& workspace) const;
  OperationCounts operations(const Shape& shape) const;

 private:
  /// Initializes the rows of the target that no task has written yet.
  void fill(MatrixView target, RowRange rows, Slice slice) const;
  void update(MatrixView target, ConstMatrixView left, ConstMatrixView right, Worker& worker) const;
  /// Returns the product that updates some of the rows. Its lists are in the maps of the workspace.
  Product product(RowRange part, Workspace& workspace) const;
};

/// A(r,t): all updates of a target tile by the panels of a group of subtrees. Data: the target; the
/// values of the group's panels.
struct AssembleTask : TileArguments {
  Index panel = 0;                       ///< panel of the target
  std::span<const Index> target_rows{};  ///< rows of L in the target tile
  Index panel_begin = 0;                 ///< first panel of the group
  Index panel_end = 0;
  /// Result of operations_of_group(), stored because counting takes long.
  OperationCounts contributed{};

  void run(TaskData data, Worker& worker) const;
  void write(MessageWriter& message, Workspace& workspace) const;
  OperationCounts operations(const Shape& /*shape*/) const { return contributed; }
  /// Counts the operations of each panel of the group: a SYRK on the diagonal, a GEMM elsewhere.
  /// Cost O(panels that reach the target, times the logarithm of their rows).
  OperationCounts operations_of_group() const;

 private:
  /// Calls f(panel, begin, end) for each panel of the group that faces the target's panel by its
  /// rows [begin, end).
  template <class F>
  void for_each_block(F f) const;
  /// Calls f(panel, product) for each of these panels that reaches rows of the target.
  template <class F>
  void for_each_product(const UpdateTarget& into, F f) const;
};

/// R(t,q): target tile += a contribution, which has all columns of the tile and some of its rows.
/// Data: the target; the contribution.
struct ReduceTask : TileArguments {
  std::span<const Index> target_rows{};  ///< rows of L in the target tile
  std::span<const Index> rows{};         ///< rows of L in the contribution, a subset of target_rows

  void run(TaskData data, Worker& worker) const;
  void write(MessageWriter& message, Workspace& workspace) const;
};

}  // namespace espalier::internal
