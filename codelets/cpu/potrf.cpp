// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/cpu/blas.hpp"
#include "codelets/cpu/kernels.hpp"

namespace espalier::cpu {

Index potrf(MatrixView a) noexcept { return blas::potrf(a) - 1; }

}  // namespace espalier::cpu
