// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "codelets/kernels.hpp"

namespace espalier::cpu {

Index potrf(MatrixView a) noexcept;
void trsm(ConstMatrixView l, MatrixView b) noexcept;
void update(ConstMatrixView a, ConstMatrixView b, bool lower, const ScatterTarget& target,
            std::span<double> buffer) noexcept;
void solve_lower(ConstMatrixView l, MatrixView x) noexcept;
void solve_lower_transposed(ConstMatrixView l, MatrixView x) noexcept;
void multiply(ConstMatrixView a, ConstMatrixView x, MatrixView y) noexcept;
void multiply_transposed(ConstMatrixView a, ConstMatrixView x, MatrixView y) noexcept;

}  // namespace espalier::cpu
