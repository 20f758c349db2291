// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/dense_view.hpp"

/// The few BLAS routines in use, on views. This pair of files alone knows Fortran symbols.
namespace espalier::blas {

enum class Op { none, transpose };

/// B := B L⁻¹.
void trsm(ConstMatrixView l, MatrixView b) noexcept;
/// The lower triangle of C := C - A Aᵀ.
void syrk(ConstMatrixView a, MatrixView c) noexcept;
/// C := C - A op(B).
void gemm(Op op, ConstMatrixView a, ConstMatrixView b, MatrixView c) noexcept;

}  // namespace espalier::blas
