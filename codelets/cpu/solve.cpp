// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/cpu/blas.hpp"
#include "codelets/cpu/kernels.hpp"

namespace espalier::cpu {

namespace {

void solve(blas::Op op, ConstMatrixView l, MatrixView x) {
  if (x.columns == 1) {
    blas::trsv(op, l, x.data);
  } else {
    blas::trsm(blas::Side::left, op, l, x);
  }
}

void subtract(blas::Op op, ConstMatrixView a, ConstMatrixView x, MatrixView y) {
  if (y.columns == 1) {
    blas::gemv(op, a, x.data, y.data);
  } else {
    blas::gemm(op, blas::Op::none, a, x, y);
  }
}

}  // namespace

void solve_lower(ConstMatrixView l, MatrixView x) noexcept { solve(blas::Op::none, l, x); }

void solve_lower_transposed(ConstMatrixView l, MatrixView x) noexcept {
  solve(blas::Op::transpose, l, x);
}

void multiply(ConstMatrixView a, ConstMatrixView x, MatrixView y) noexcept {
  subtract(blas::Op::none, a, x, y);
}

void multiply_transposed(ConstMatrixView a, ConstMatrixView x, MatrixView y) noexcept {
  subtract(blas::Op::transpose, a, x, y);
}

}  // namespace espalier::cpu
