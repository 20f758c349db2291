// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/cuda/check.hpp"
#include "codelets/cuda/kernels.hpp"
#include "codelets/cuda/tasks.hpp"

namespace espalier::cuda {

void diagonal(std::span<const Index> /*message*/, TaskData data, Desk& desk) {
  const MatrixView block = data[0];
  const auto ld = static_cast<int>(block.ld);
  const auto scratch = desk.scratch();
  expect_success(
      cusolverDnDpotrf(desk.solver(), CUBLAS_FILL_MODE_LOWER, block.columns, block.data, ld,
                       scratch.data(), static_cast<int>(scratch.size()), desk.info()),
      "factoring a diagonal block");
  launch(Outcome{block.data, block.ld, block.columns, desk.info(), desk.result() + 1},
         desk.stream());
}

}  // namespace espalier::cuda
