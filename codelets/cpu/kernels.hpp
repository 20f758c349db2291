// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/cost_table.hpp"
#include "codelets/kernels.hpp"

namespace espalier::internal::cpu {

/// Returns Espalier's kernels, which use the BLAS above these switch points.
const Kernels& kernels_with(const SwitchPoints& points);

/// Kernels::update by the BLAS alone. With maps, each product goes to scratch memory, block by
/// block, and from there to the target. Without maps, it goes straight to the target. The BLAS
/// knows no signs, so an update with signs is own_update().
void blas_update(const UpdateArguments& given) noexcept;
/// Kernels::update by Espalier's kernels alone.
void own_update(const UpdateArguments& given) noexcept;

void forward(ConstMatrixView l, MatrixView x, Signs sign) noexcept;
void backward(ConstMatrixView l, MatrixView x, Signs sign) noexcept;
/// Works by parts of the columns if `buffer` is smaller than X.
void multiply(ConstMatrixView a, ConstMatrixView x, MatrixView y, Signs sign,
              std::span<double> buffer) noexcept;
void multiply_transposed(ConstMatrixView a, ConstMatrixView y, MatrixView x) noexcept;

/// B := A J. The matrices may be the same.
inline void apply_signs(ConstMatrixView a, Signs sign, MatrixView b) {
  for (Index j = 0; j < a.columns; ++j) {
    for (Index i = 0; i < a.rows; ++i) b(i, j) = sign[j] * a(i, j);
  }
}

/// Returns `rows` rows and `columns` columns of a, beginning at (row, column).
inline ConstMatrixView part(ConstMatrixView a, Index row, Index rows, Index column, Index columns) {
  return {a.data + row + Count{column} * a.ld, rows, columns, a.ld};
}
inline MatrixView part(MatrixView a, Index row, Index rows, Index column, Index columns) {
  return {a.data + row + Count{column} * a.ld, rows, columns, a.ld};
}

}  // namespace espalier::internal::cpu
