// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "codelets/kernels.hpp"

namespace espalier::internal::reference {

/// Returns the sign of a column.
inline double sign_of(Signs sign, Index column) { return sign != nullptr ? sign[column] : 1; }

PivotReport potrf(MatrixView a) noexcept;
PivotReport signed_potrf(MatrixView a, const SignedPivots& pivots) noexcept;
PivotReport pivoted_potrf(MatrixView a, const ChosenPivots& pivots,
                          std::span<double> buffer) noexcept;
void trsm(ConstMatrixView l, MatrixView b, std::span<double> buffer) noexcept;
void update(const UpdateArguments& given) noexcept;
void forward(ConstMatrixView l, MatrixView x, Signs sign) noexcept;
void backward(ConstMatrixView l, MatrixView x, Signs sign) noexcept;
void multiply(ConstMatrixView a, ConstMatrixView x, MatrixView y, Signs sign,
              std::span<double> buffer) noexcept;
void multiply_transposed(ConstMatrixView a, ConstMatrixView y, MatrixView x) noexcept;

}  // namespace espalier::internal::reference
