// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "codelets/context.hpp"
#include "codelets/payload/message.hpp"

namespace espalier::internal {

/// Sets a tile to the entries of A before any task writes it, or a shadow to zero. Tiles need this
/// if an accelerator may write them first, because accelerators do not have A. Data: the tile or
/// the shadow.
struct FillTask : TileArguments {
  void run(TaskData data, Worker& /*worker*/) const { tile->fill_once(*context, data[0]); }
  /// Returns whether the task fills a shadow. Accelerators can fill no other data, because they do
  /// not have A.
  bool is_for_accelerators(const Shape& shape) const { return shape.device >= 0; }
  void write(MessageWriter& message, Workspace& /*workspace*/) const {
    message.write(FillMessage{});
  }
  void take_result(std::span<const double> /*result*/) const { tile->note_filled(*context); }
};

/// D(j): POTRF of the diagonal block on top of a tile. Data: the tile.
struct DiagonalTask : TileArguments {
  Index first_column = 0;

  void run(TaskData data, Worker& worker) const;
  /// Returns whether accelerators can run the task. They cannot choose or check the pivots of
  /// A = L J Lᵀ.
  bool is_for_accelerators(const Shape& shape) const {
    return !context->signs.in_tiles && TileArguments::is_for_accelerators(shape);
  }
  void write(MessageWriter& message, Workspace& /*workspace*/) const {
    message.write(DiagonalMessage{});
  }
  /// The diagonal of L.
  Index results(const Shape& shape) const { return shape.n; }
  OperationCounts operations(const Shape& shape) const {
    OperationCounts counts;
    counts.potrf(shape.n);
    return counts;
  }
  /// Checks the pivots by the diagonal of L. An entry is NaN if its pivot check failed on the
  /// accelerator.
  void take_result(std::span<const double> diagonal) const;
};

/// F(t,j): the rows of a tile below the diagonal block, times L(j,j)⁻ᵀ. Data: the tile, then the
/// tile with the diagonal block if it is another one.
struct FactorTask : TileArguments {
  FactorMessage part{};

  void run(TaskData data, Worker& worker) const;
  void write(MessageWriter& message, Workspace& /*workspace*/) const {
    message.write(FactorMessage{part.skipped, context->signs.in_tiles ? 1 : 0});
  }
  /// The signs and weak columns; see PivotSigns::take().
  Index results(const Shape& shape) const { return context->signs.in_tiles ? shape.n : 0; }
  void take_result(std::span<const double> result) const {
    context->signs.take(tile->part.first_column, result);
  }
  OperationCounts operations(const Shape& shape) const {
    OperationCounts counts;
    counts.trsm(shape.m, shape.n);
    return counts;
  }
};

/// S(r): all D, F and U inside a group of whole subtrees, left-looking. Data: the values of the
/// group's panels.
struct SubtreeTask : Arguments {
  Index panel_begin = 0;
  Index panel_end = 0;
  OperationCounts inside{};  ///< result of operations_inside(), stored because counting takes long

  void run(TaskData data, Worker& worker) const;
  OperationCounts operations(const Shape& /*shape*/) const { return inside; }
};

/// Returns the number of operations inside a group of whole subtrees: POTRF and TRSM of each panel,
/// and its updates of other panels of the group. Cost O(blocks of the group).
OperationCounts operations_inside(const PanelStructure& structure, Index panel_begin,
                                  Index panel_end);

}  // namespace espalier::internal
