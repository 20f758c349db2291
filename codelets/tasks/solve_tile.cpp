// SPDX-License-Identifier: BSD-3-Clause

#include "codelets/tasks/solve_tile.hpp"

namespace espalier::internal {

namespace {

struct TileForward {
  const Kernels& kernels;

  void triangle(ConstMatrixView l, MatrixView x) const { kernels.forward(l, x, nullptr); }
  void block(ConstMatrixView l, ConstMatrixView x, MatrixView y) const {
    kernels.multiply(l, x, y, nullptr, {});
  }
};

struct TileBackward {
  const Kernels& kernels;

  static void clear(MatrixView x) { fill_zero(x); }
  void triangle(ConstMatrixView l, MatrixView x) const { kernels.backward(l, x, nullptr); }
  void block(ConstMatrixView l, ConstMatrixView y, MatrixView x) const {
    kernels.multiply_transposed(l, y, x);
  }
};

}  // namespace

void solve(const ForwardMessage& message, TaskData data, const Kernels& kernels) {
  solve(message, data, TileForward{kernels});
}

void solve(const BackwardMessage& message, TaskData data, const Kernels& kernels) {
  solve(message, data, TileBackward{kernels});
}

}  // namespace espalier::internal
