// SPDX-License-Identifier: BSD-3-Clause

#include "codelets/tasks/solve_tile.hpp"

namespace espalier {

namespace {

struct TileForward {
  const Kernels& kernels;

  void triangle(ConstMatrixView l, MatrixView x) const { kernels.forward(l, x); }
  void block(ConstMatrixView l, ConstMatrixView x, MatrixView y) const {
    kernels.multiply(l, x, y);
  }
};

struct TileBackward {
  const Kernels& kernels;

  void triangle(ConstMatrixView l, MatrixView x) const { kernels.backward(l, x); }
  void block(ConstMatrixView l, ConstMatrixView y, MatrixView x) const {
    kernels.multiply_transposed(l, y, x);
  }
};

}  // namespace

void solve_forward(MessageReader words, TaskData data, const Kernels& kernels) {
  solve_forward(words, data, TileForward{kernels});
}

void solve_backward(MessageReader words, TaskData data, const Kernels& kernels) {
  solve_backward(words, data, TileBackward{kernels});
}

void ForwardTileTask::run(TaskData data, Worker& worker) const {
  solve_forward(MessageReader(words.words()), data, worker.kernels);
}

void BackwardTileTask::run(TaskData data, Worker& worker) const {
  solve_backward(MessageReader(words.words()), data, worker.kernels);
}

}  // namespace espalier
