// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/cuda/check.hpp"
#include "codelets/cuda/tasks.hpp"
#include "codelets/tasks/solve_tile.hpp"

namespace espalier::cuda {

namespace {

// Vectors are by rows, entry (r, i) of X row i of vector r: X is the transpose of what it solves.

void solve_with_triangle(const DeviceContext& context, cublasOperation_t on_l, ConstMatrixView l,
                         MatrixView x) {
  constexpr double one = 1;
  expect_success(cublasDtrsm(context.blas(), CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER, on_l,
                             CUBLAS_DIAG_NON_UNIT, x.rows, x.columns, &one, l.data,
                             static_cast<int>(l.ld), x.data, static_cast<int>(x.ld)),
                 "solving with a triangle");
}

/// to -= from · op(L).
void subtract_product(const DeviceContext& context, cublasOperation_t on_l, ConstMatrixView l,
                      ConstMatrixView from, MatrixView to) {
  constexpr double one = 1;
  constexpr double minus_one = -1;
  expect_success(cublasDgemm(context.blas(), CUBLAS_OP_N, on_l, to.rows, to.columns, from.columns,
                             &minus_one, from.data, static_cast<int>(from.ld), l.data,
                             static_cast<int>(l.ld), &one, to.data, static_cast<int>(to.ld)),
                 "multiplying with a block of L");
}

/// Of one direction.
struct TileOperations {
  const DeviceContext& context;
  cublasOperation_t on_l;

  void triangle(ConstMatrixView l, MatrixView x) const { solve_with_triangle(context, on_l, l, x); }
  void block(ConstMatrixView l, ConstMatrixView from, MatrixView to) const {
    subtract_product(context, on_l, l, from, to);
  }
};

}  // namespace

void forward(std::span<const Index> message, TaskData data, DeviceContext& context) {
  solve_forward(MessageReader(message), data, TileOperations{context, CUBLAS_OP_T});
}

void backward(std::span<const Index> message, TaskData data, DeviceContext& context) {
  solve_backward(MessageReader(message), data, TileOperations{context, CUBLAS_OP_N});
}

}  // namespace espalier::cuda
