// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/cost_table.hpp"
#include "codelets/kernels.hpp"

namespace espalier::internal::cpu {

/// Own kernels, and the BLAS for what is above the switch points.
const Kernels& kernels_with(const SwitchPoints& points);

/// The same as Kernels::update by the BLAS alone: each product goes to scratch memory, block by
/// block, and from there to the target; without maps straight to it.
void blas_update(const UpdateArguments& given) noexcept;
/// The same by own kernels alone.
void own_update(const UpdateArguments& given) noexcept;

void forward(ConstMatrixView l, MatrixView x) noexcept;
void backward(ConstMatrixView l, MatrixView x) noexcept;
void multiply(ConstMatrixView a, ConstMatrixView x, MatrixView y) noexcept;
void multiply_transposed(ConstMatrixView a, ConstMatrixView y, MatrixView x) noexcept;

/// Returns so many rows of so many columns, from these ones on.
inline ConstMatrixView part(ConstMatrixView a, Index row, Index rows, Index column, Index columns) {
  return {a.data + row + Count{column} * a.ld, rows, columns, a.ld};
}
inline MatrixView part(MatrixView a, Index row, Index rows, Index column, Index columns) {
  return {a.data + row + Count{column} * a.ld, rows, columns, a.ld};
}

}  // namespace espalier::internal::cpu
