// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/cpu/blas.hpp"
#include "codelets/cpu/kernels.hpp"
#include "codelets/cpu/simd/solve_kernels.hpp"

namespace espalier::cpu {

namespace {

ConstMatrixView triangle(ConstMatrixView l) { return l.row_range(0, l.columns); }
ConstMatrixView below(ConstMatrixView l) { return l.row_range(l.columns, l.rows - l.columns); }
MatrixView own(ConstMatrixView l, MatrixView x) { return x.column_range(0, l.columns); }
MatrixView rest(ConstMatrixView l, MatrixView x) {
  return x.column_range(l.columns, l.rows - l.columns);
}

}  // namespace

void forward(ConstMatrixView l, MatrixView x) noexcept {
  if (x.rows == 1) return simd::solve_kernels().forward(l, x.data);
  trsm(triangle(l), own(l, x));
  multiply(below(l), own(l, x), rest(l, x));
}

void backward(ConstMatrixView l, MatrixView x) noexcept {
  if (x.rows == 1) return simd::solve_kernels().backward(l, x.data);
  multiply_transposed(below(l), rest(l, x), own(l, x));
  blas::trsm(blas::Side::right, blas::Op::none, triangle(l), own(l, x));
}

void multiply(ConstMatrixView a, ConstMatrixView x, MatrixView y) noexcept {
  if (x.rows == 1) return simd::solve_kernels().multiply(a, x.data, y.data);
  blas::gemm(blas::Op::none, blas::Op::transpose, x, a, y);
}

void multiply_transposed(ConstMatrixView a, ConstMatrixView y, MatrixView x) noexcept {
  if (x.rows == 1) return simd::solve_kernels().multiply_transposed(a, y.data, x.data);
  blas::gemm(blas::Op::none, blas::Op::none, y, a, x);
}

}  // namespace espalier::cpu
