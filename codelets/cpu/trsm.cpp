// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/cpu/blas.hpp"
#include "codelets/cpu/kernels.hpp"

namespace espalier::cpu {

void trsm(ConstMatrixView l, MatrixView b) noexcept {
  blas::trsm(blas::Side::right, blas::Op::transpose, l, b);
}

}  // namespace espalier::cpu
