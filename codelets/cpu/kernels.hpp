// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/cost_table.hpp"
#include "codelets/kernels.hpp"

namespace espalier::internal::cpu {

/// Returns Espalier's kernels, which use the BLAS above these switch points.
const Kernels& kernels_with(const SwitchPoints& points);

/// Kernels::update by the BLAS alone. With maps, each product goes to scratch memory, block by
/// block, and from there to the target. Without maps, it goes straight to the target.
void blas_update(const UpdateArguments& given) noexcept;
/// Kernels::update by Espalier's kernels alone.
void own_update(const UpdateArguments& given) noexcept;

void forward(ConstMatrixView l, MatrixView x) noexcept;
void backward(ConstMatrixView l, MatrixView x) noexcept;
void multiply(ConstMatrixView a, ConstMatrixView x, MatrixView y) noexcept;
void multiply_transposed(ConstMatrixView a, ConstMatrixView y, MatrixView x) noexcept;

/// Returns `rows` rows and `columns` columns of a, beginning at (row, column).
inline ConstMatrixView part(ConstMatrixView a, Index row, Index rows, Index column, Index columns) {
  return {a.data + row + Count{column} * a.ld, rows, columns, a.ld};
}
inline MatrixView part(MatrixView a, Index row, Index rows, Index column, Index columns) {
  return {a.data + row + Count{column} * a.ld, rows, columns, a.ld};
}

}  // namespace espalier::internal::cpu
