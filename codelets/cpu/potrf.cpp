// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/cpu/blas.hpp"
#include "codelets/cpu/kernels.hpp"

namespace espalier::cpu {

namespace {
/// Up to this order LAPACK's unblocked code is no slower than what halving adds.
constexpr Index direct_order = 64;
}  // namespace

/// By halves: A11 = L11 L11ᵀ, L21 := A21 L11⁻ᵀ, A22 - L21 L21ᵀ = L22 L22ᵀ.
Index potrf(MatrixView a) noexcept {
  if (a.columns <= direct_order) return blas::potrf(a) - 1;
  const Index half = (a.columns / 2 + 7) / 8 * 8;
  const Index rest = a.columns - half;
  const MatrixView top{a.data, half, half, a.ld};
  const MatrixView below{a.data + half, rest, half, a.ld};
  const MatrixView corner{&a(half, half), rest, rest, a.ld};
  const Index bad = potrf(top);
  if (bad >= 0) return bad;
  trsm(top, below);
  blas::syrk(below, corner);
  const Index bad_below = potrf(corner);
  return bad_below < 0 ? -1 : half + bad_below;
}

}  // namespace espalier::cpu
