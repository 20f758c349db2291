// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/cpu/blas.hpp"
#include "codelets/cpu/kernels.hpp"
#include "codelets/cpu/simd/kernels.hpp"

namespace espalier::internal::cpu {

namespace {

/// Maximum panel widths for which Espalier's kernels solve with several right-hand sides. For
/// narrow panels, calls and copies of the BLAS cost more than the BLAS gains.
constexpr Index narrow_update = 24;
constexpr Index narrow_triangle = 64;

ConstMatrixView triangle(ConstMatrixView l) { return l.row_range(0, l.columns); }
ConstMatrixView below(ConstMatrixView l) { return l.row_range(l.columns, l.rows - l.columns); }
MatrixView own(ConstMatrixView l, MatrixView x) { return x.column_range(0, l.columns); }
MatrixView rest(ConstMatrixView l, MatrixView x) {
  return x.column_range(l.columns, l.rows - l.columns);
}

}  // namespace

void forward(ConstMatrixView l, MatrixView x) noexcept {
  if (x.rows == 1) return simd::solve_kernels().forward(l, x.data);
  kernels.trsm(triangle(l), own(l, x), {});
  multiply(below(l), own(l, x), rest(l, x));
}

void backward(ConstMatrixView l, MatrixView x) noexcept {
  if (x.rows == 1) return simd::solve_kernels().backward(l, x.data);
  if (l.columns < narrow_triangle) return simd::solve_kernels().backward_many(l, x);
  multiply_transposed(below(l), rest(l, x), own(l, x));
  blas::trsm(blas::Op::none, triangle(l), own(l, x));
}

void multiply(ConstMatrixView a, ConstMatrixView x, MatrixView y) noexcept {
  if (x.rows == 1) return simd::solve_kernels().multiply(a, x.data, y.data);
  if (a.columns < narrow_update) {
    // If the operand is this narrow, the kernel copies no data and needs no buffer.
    return simd::small_kernels().update({x, a, false, {y.data, y.ld}});
  }
  blas::gemm(blas::Op::transpose, x, a, y);
}

void multiply_transposed(ConstMatrixView a, ConstMatrixView y, MatrixView x) noexcept {
  if (x.rows == 1) return simd::solve_kernels().multiply_transposed(a, y.data, x.data);
  blas::gemm(blas::Op::none, y, a, x);
}

}  // namespace espalier::internal::cpu
