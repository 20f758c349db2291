// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "codelets/context.hpp"
#include "codelets/payload/message.hpp"
#include "codelets/relative_indices.hpp"

namespace espalier::internal {

/// U(a,t): target tile -= rows of one source tile times the transpose of rows of another, through
/// index maps; one after another for several targets with the same sources. Data: the targets; the
/// source tile with the rows; the one with the columns where that is another one.
///
/// Fused, it is one product for several targets: tiles of one panel, as are the source tiles with
/// the rows, and each panel is one array, of which the data are parts. Data: the targets; the
/// source tiles with the rows; the one with the columns where that is none of them.
struct UpdateTask : TileArguments {
  /// One of the targets of a fused update.
  struct Piece {
    LazyTile* tile;
    RowRange rows;  ///< those of target_rows that it has
  };

  std::span<const Index> target_rows{};     ///< rows of L in the target tile; fused, from the
                                            ///< first one of the first tile to the last of the last
  Index target_column = 0;                  ///< its first column
  std::span<const Index> source_rows{};     ///< rows of L that are updated
  std::span<const Index> source_columns{};  ///< columns of L that are updated
  Index left_row = 0;                       ///< where source_rows begin in their tile
  Index right_row = 0;                      ///< where source_columns begin in theirs
  bool lower = false;                ///< both begin alike: only the trapezoid below the diagonal
  const UpdateTask* next = nullptr;  ///< the task with the target after this one, or null
  std::span<const Piece> pieces{};   ///< the targets, where it is fused
  bool right_apart = false;  ///< fused: the columns are in none of the tiles with the rows, of
                             ///< which they would be in the first

  Index targets() const {
    if (!pieces.empty()) return static_cast<Index>(pieces.size());
    return next == nullptr ? 1 : 1 + next->targets();
  }
  void run(TaskData data, Worker& worker) const;
  void write(MessageWriter& message, Workspace& workspace) const;
  OperationCounts operations(const Shape& shape) const;

 private:
  /// Fills those of the rows of the target that no task has written yet.
  void fill(MatrixView target, RowRange rows, Slice slice) const;
  void update(MatrixView target, ConstMatrixView left, ConstMatrixView right, Worker& worker) const;
  /// Returns what some of the rows that are updated take; its lists are in the maps of the
  /// workspace.
  Product product(RowRange part, Workspace& workspace) const;
};

/// A(r,t): the contribution of a group of subtrees to a target tile: all updates from panels of the
/// group. Data: the target; the values of the group's panels.
struct AssembleTask : TileArguments {
  Index panel = 0;                       ///< the panel that the target belongs to
  std::span<const Index> target_rows{};  ///< rows of L in the target tile
  Index panel_begin = 0;                 ///< the group
  Index panel_end = 0;
  OperationCounts contributed{};  ///< what operations_of_group() returns; counting takes a while

  void run(TaskData data, Worker& worker) const;
  void write(MessageWriter& message, Workspace& workspace) const;
  OperationCounts operations(const Shape& /*shape*/) const { return contributed; }
  /// Counts what each panel of the group takes away: a SYRK where it meets the diagonal, a GEMM
  /// elsewhere. Cost O(panels that reach the target, times the logarithm of their rows).
  OperationCounts operations_of_group() const;

 private:
  /// Calls f(panel, begin, end) for the panels of the group that face that of the target, with
  /// which of their rows do.
  template <class F>
  void for_each_block(F f) const;
  /// Calls f(panel, product) for those that reach rows of the target.
  template <class F>
  void for_each_product(const UpdateTarget& into, F f) const;
};

/// R(t,q): target tile += a contribution, which has all columns of the tile and some of its rows.
/// Data: the target; the contribution.
struct ReduceTask : TileArguments {
  std::span<const Index> target_rows{};  ///< rows of L in the target tile
  std::span<const Index> rows{};         ///< rows of L in the contribution, some of these

  void run(TaskData data, Worker& worker) const;
  void write(MessageWriter& message, Workspace& workspace) const;
};

}  // namespace espalier::internal
