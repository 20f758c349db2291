// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "codelets/context.hpp"
#include "codelets/payload/message.hpp"

namespace espalier::internal {

/// Solve by these kernels as the message says, on CPUs and on coprocessors.
void solve(const ForwardMessage& message, TaskData data, const Kernels& kernels);
void solve(const BackwardMessage& message, TaskData data, const Kernels& kernels);

/// A tile of a supernode in the triangular solves. CPUs and accelerators follow the same message.
template <class Message>
struct SolveTileTask : Arguments {
  MessageWriter words;

  void run(TaskData data, Worker& worker) const {
    solve(MessageReader(words.words()).read<Message>(), data, worker.kernels);
  }
  bool is_for_accelerators(const Shape& /*shape*/) const { return true; }
  void write(MessageWriter& message, Workspace& /*workspace*/) const { message = words; }
  /// Counts a TRSM for the triangle and a GEMM for each block.
  OperationCounts operations(const Shape& shape) const {
    const auto message = MessageReader(words.words()).read<Message>();
    OperationCounts counts;
    if (message.triangle >= 0) counts.trsm(shape.n, shape.k);
    message.blocks.for_each(
        [&](const FacingRows& block) { counts.gemm(block.rows, shape.n, shape.k); });
    return counts;
  }
};
using ForwardTileTask = SolveTileTask<ForwardMessage>;
using BackwardTileTask = SolveTileTask<BackwardMessage>;

/// Calls f(rows of L, their vectors) for each block of the message.
template <class F>
void for_each_block(const SolveTileMessage& message, TaskData data, F f) {
  message.blocks.for_each([&](const FacingRows& block) {
    f(data[block.tile].row_range(block.top, block.rows),
      data[block.segment].column_range(block.place, block.rows));
  });
}

/// Forward solve by two operations. triangle(l, x) computes x := L⁻¹ x with the triangle. block(l,
/// x, y) then computes y -= L x for each block.
template <class Operations>
void solve(const ForwardMessage& message, TaskData data, const Operations& operations) {
  const MatrixView x = data[0];
  if (message.triangle >= 0) {
    operations.triangle(data[message.triangle].row_range(0, x.columns), x);
  }
  for_each_block(message, data,
                 [&](ConstMatrixView l, MatrixView y) { operations.block(l, x, y); });
}

/// Backward solve by three operations. clear(x) sets x := 0 if the message says so. block(l, y, x)
/// computes x -= Lᵀ y for each block. triangle(l, x) then computes x := L⁻ᵀ x with the triangle.
template <class Operations>
void solve(const BackwardMessage& message, TaskData data, const Operations& operations) {
  const MatrixView x = data[0];
  if (message.clears != 0) operations.clear(x);
  for_each_block(message, data,
                 [&](ConstMatrixView l, MatrixView y) { operations.block(l, y, x); });
  if (message.triangle >= 0) {
    operations.triangle(data[message.triangle].row_range(0, x.columns), x);
  }
}

}  // namespace espalier::internal
