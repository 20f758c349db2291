// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "codelets/kernels.hpp"

namespace espalier::internal::reference {

PivotReport potrf(MatrixView a) noexcept;
void trsm(ConstMatrixView l, MatrixView b, std::span<double> buffer) noexcept;
void update(const UpdateArguments& given) noexcept;
void forward(ConstMatrixView l, MatrixView x) noexcept;
void backward(ConstMatrixView l, MatrixView x) noexcept;
void multiply(ConstMatrixView a, ConstMatrixView x, MatrixView y) noexcept;
void multiply_transposed(ConstMatrixView a, ConstMatrixView y, MatrixView x) noexcept;

}  // namespace espalier::internal::reference
