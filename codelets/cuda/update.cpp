// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/cuda/check.hpp"
#include "codelets/cuda/kernels.hpp"
#include "codelets/cuda/subtract.hpp"
#include "codelets/cuda/tasks.hpp"

namespace espalier::cuda {

namespace {

/// What a Subtraction asks of a device.
class Operations {
 public:
  explicit Operations(const Desk& desk) : desk_(desk) {}

  void multiply(ConstMatrixView a, ConstMatrixView b, Factors factors, MatrixView c) const {
    expect_success(cublasDgemm(desk_.blas(), CUBLAS_OP_N, CUBLAS_OP_T, c.rows, c.columns, a.columns,
                               &factors.product, a.data, static_cast<int>(a.ld), b.data,
                               static_cast<int>(b.ld), &factors.c, c.data, static_cast<int>(c.ld)),
                   "multiplying matrices");
  }
  void square(ConstMatrixView a, Factors factors, MatrixView c) const {
    expect_success(cublasDsyrk(desk_.blas(), CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, c.columns,
                               a.columns, &factors.product, a.data, static_cast<int>(a.ld),
                               &factors.c, c.data, static_cast<int>(c.ld)),
                   "multiplying a matrix with itself");
  }
  void scatter(const Scatter& work) const { launch(work, desk_.stream()); }
  std::span<double> scratch() const { return desk_.scratch(); }
  const Index* there(std::span<const Index> list) const { return desk_.there(list); }

 private:
  const Desk& desk_;
};

}  // namespace

void update(std::span<const Index> message, TaskData data, const Desk& desk) {
  MessageReader reader(message);
  const Product product = Product::read(reader);
  Operations operations(desk);
  Subtraction(product, data[1], data.back(), data[0], operations).run();
}

}  // namespace espalier::cuda
