// SPDX-License-Identifier: BSD-3-Clause

#include "codelets/cpu/blas.hpp"
#include "codelets/cpu/kernels.hpp"
#include "codelets/cpu/simd/kernels.hpp"

namespace espalier::internal::cpu {

/// Factors by halves: A11 = L11 L11ᵀ, L21 := A21 L11⁻ᵀ, A22 - L21 L21ᵀ = L22 L22ᵀ.
Index potrf(MatrixView a) noexcept {
  if (a.columns <= whole_triangle) return simd::small_kernels().potrf(a);
  const Index half = first_half(a.columns);
  const Index rest = a.columns - half;
  const MatrixView top{a.data, half, half, a.ld};
  const MatrixView below{a.data + half, rest, half, a.ld};
  const MatrixView corner{&a(half, half), rest, rest, a.ld};
  const Index bad = potrf(top);
  if (bad >= 0) return bad;
  trsm(top, below, {});
  blas::syrk(below, corner);
  const Index bad_below = potrf(corner);
  return bad_below < 0 ? -1 : half + bad_below;
}

/// Solves by halves: B1 := B1 L11⁻ᵀ, B2 := (B2 - B1 L21ᵀ) L22⁻ᵀ, so that most of the work is GEMM.
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

void update(ConstMatrixView a, ConstMatrixView b, bool lower, const ScatterTarget& target,
            std::span<double> buffer) noexcept {
  simd::small_kernels().update(a, b, lower, target, buffer);
}

const Kernels kernels{potrf, trsm, update, forward, backward, multiply, multiply_transposed};

}  // namespace espalier::internal::cpu
