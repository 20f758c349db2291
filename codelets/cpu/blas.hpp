// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/dense_view.hpp"

/// The few BLAS routines in use, on views. This pair of files alone knows Fortran symbols.
/// Products are subtracted: C := C - op(A) op(B).
namespace espalier::blas {

enum class Side { left, right };
enum class Op { none, transpose };

/// B := op(L)⁻¹ B or B op(L)⁻¹.
void trsm(Side side, Op op, ConstMatrixView l, MatrixView b) noexcept;
void syrk(ConstMatrixView a, MatrixView c) noexcept;
void gemm(Op op_a, Op op_b, ConstMatrixView a, ConstMatrixView b, MatrixView c) noexcept;

}  // namespace espalier::blas
