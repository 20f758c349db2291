// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/cuda/check.hpp"
#include "codelets/cuda/tasks.hpp"

namespace espalier::cuda {

void factor(std::span<const Index> message, TaskData data, Desk& desk) {
  const Index skipped = MessageReader(message).number();
  const MatrixView b = data[0].row_range(skipped, data[0].rows - skipped);
  const ConstMatrixView l = data.back();
  constexpr double one = 1;
  expect_success(cublasDtrsm(desk.blas(), CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T,
                             CUBLAS_DIAG_NON_UNIT, b.rows, b.columns, &one, l.data,
                             static_cast<int>(l.ld), b.data, static_cast<int>(b.ld)),
                 "solving with a triangle");
}

}  // namespace espalier::cuda
