// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/cpu/blas.hpp"
#include "codelets/cpu/kernels.hpp"

namespace espalier::cpu {

namespace {
/// OpenBLAS's TRSM from the right is slow: above this order most of the work goes through GEMM.
constexpr Index direct_order = 48;
}  // namespace

/// By halves: B1 := B1 L11⁻ᵀ, B2 := (B2 - B1 L21ᵀ) L22⁻ᵀ.
void trsm(ConstMatrixView l, MatrixView b) noexcept {
  if (l.columns <= direct_order) {
    blas::trsm(blas::Side::right, blas::Op::transpose, l, b);
    return;
  }
  const Index half = (l.columns / 2 + 7) / 8 * 8;
  const Index rest = l.columns - half;
  const MatrixView left = b.column_range(0, half);
  const MatrixView right = b.column_range(half, rest);
  trsm({l.data, half, half, l.ld}, left);
  blas::gemm(blas::Op::none, blas::Op::transpose, left, {l.data + half, rest, half, l.ld}, right);
  trsm({&l(half, half), rest, rest, l.ld}, right);
}

}  // namespace espalier::cpu
