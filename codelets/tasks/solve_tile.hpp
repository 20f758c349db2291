// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "codelets/context.hpp"
#include "codelets/payload/message.hpp"

namespace espalier {

/// A tile of a supernode in the triangular solves, by positions in the data of its task: first the
/// piece of the front with the columns of the tile's panel, then pieces with other rows, then tiles
/// of L. CPUs and accelerators follow the same words:
///
///   the position of the tile with the triangle on top, -1 where that is no part of this one; how
///   many blocks of rows follow; for each the position of the piece and the block's place in it,
///   the position of the tile of L and the block's place in that, its rows
struct SolveTileTask : Arguments {
  MessageWriter words;
};

/// The forward solve: x := L⁻¹ x with the triangle, then y -= L x for each block.
struct ForwardTileTask : SolveTileTask {
  void run(TaskData data, Worker& worker) const;
};

/// The backward solve: x -= Lᵀ y for each block, then x := L⁻ᵀ x with the triangle.
struct BackwardTileTask : SolveTileTask {
  void run(TaskData data, Worker& worker) const;
};

/// Calls f(rows of L, their vectors) for each block that the reader comes to.
template <class F>
void for_each_row_block(MessageReader& words, TaskData data, F f) {
  for (Index left = words.number(); left > 0; --left) {
    const MatrixView piece = data[words.number()];
    const Index place = words.number();
    const ConstMatrixView tile = data[words.number()];
    const Index top = words.number();
    const Index rows = words.number();
    f(tile.row_range(top, rows), piece.column_range(place, rows));
  }
}

/// What a ForwardTileTask does, with operations triangle(l, x) and block(l, x, y).
template <class Operations>
void solve_forward(MessageReader words, TaskData data, const Operations& operations) {
  const MatrixView x = data[0];
  const Index triangle = words.number();
  if (triangle >= 0) operations.triangle(data[triangle].row_range(0, x.columns), x);
  for_each_row_block(words, data,
                     [&](ConstMatrixView l, MatrixView y) { operations.block(l, x, y); });
}

/// What a BackwardTileTask does, with operations triangle(l, x) and block(l, y, x).
template <class Operations>
void solve_backward(MessageReader words, TaskData data, const Operations& operations) {
  const MatrixView x = data[0];
  const Index triangle = words.number();
  for_each_row_block(words, data,
                     [&](ConstMatrixView l, MatrixView y) { operations.block(l, y, x); });
  if (triangle >= 0) operations.triangle(data[triangle].row_range(0, x.columns), x);
}

/// With these kernels; on CPUs and on coprocessors.
void solve_forward(MessageReader words, TaskData data, const Kernels& kernels);
void solve_backward(MessageReader words, TaskData data, const Kernels& kernels);

}  // namespace espalier
