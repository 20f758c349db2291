// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/cpu/blas.hpp"
#include "codelets/cpu/halves.hpp"
#include "codelets/cpu/kernels.hpp"
#include "codelets/cpu/simd/small_kernels.hpp"

namespace espalier::cpu {

/// By halves: A11 = L11 L11ᵀ, L21 := A21 L11⁻ᵀ, A22 - L21 L21ᵀ = L22 L22ᵀ.
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

}  // namespace espalier::cpu
