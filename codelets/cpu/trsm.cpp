// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/cpu/blas.hpp"
#include "codelets/cpu/halves.hpp"
#include "codelets/cpu/kernels.hpp"
#include "codelets/cpu/simd/small_kernels.hpp"

namespace espalier::cpu {

/// By halves: B1 := B1 L11⁻ᵀ, B2 := (B2 - B1 L21ᵀ) L22⁻ᵀ, so that most of the work is GEMM.
void trsm(ConstMatrixView l, MatrixView b, std::span<double> buffer) noexcept {
  if (b.columns <= whole_triangle) {
    simd::small_kernels().trsm(l, b, buffer);
    return;
  }
  const Index half = first_half(b.columns);
  const Index rest = b.columns - half;
  const MatrixView left = b.column_range(0, half);
  const MatrixView right = b.column_range(half, rest);
  trsm({l.data, half, half, l.ld}, left, buffer);
  blas::gemm(blas::Op::transpose, left, {l.data + half, rest, half, l.ld}, right);
  trsm({&l(half, half), rest, rest, l.ld}, right, buffer);
}

}  // namespace espalier::cpu
