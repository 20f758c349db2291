// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>

#include "codelets/cpu/blas.hpp"
#include "codelets/cpu/kernels.hpp"
#include "codelets/cpu/simd/kernels.hpp"

namespace espalier::internal::cpu {

namespace {

/// Adds a block to the target through the maps.
void scatter(ConstMatrixView block, bool lower, Index first_row, Index first_column,
             const ScatterTarget& target) {
  for (Index j = 0; j < block.columns; ++j) {
    const Index column = first_column + j;
    double* const to = target.data + (target.column ? target.column[column] : column) * target.ld;
    for (Index i = lower ? std::max(0, column - first_row) : 0; i < block.rows; ++i) {
      const Index row = first_row + i;
      to[target.row ? target.row[row] : row] += block(i, j);
    }
  }
}

}  // namespace

void own_update(const UpdateArguments& given) noexcept { simd::small_kernels().update(given); }

void blas_update(const UpdateArguments& given) noexcept {
  const auto& [a, b, lower, target, buffer, sign] = given;
  if (sign != nullptr) return own_update(given);
  if (target.row == nullptr && target.column == nullptr) {
    if (!lower) {
      return blas::gemm(blas::Op::transpose, a, b, {target.data, a.rows, b.rows, target.ld});
    }
    const Index below = a.rows - b.rows;
    blas::syrk(b, {target.data, b.rows, b.rows, target.ld});
    if (below == 0) return;
    return blas::gemm(blas::Op::transpose, part(a, b.rows, below, 0, a.columns), b,
                      {target.data + b.rows, below, b.rows, target.ld});
  }
  constexpr Index columns_at_once = 256;
  const auto capacity = static_cast<Index>(buffer.size());
  for (Index j = 0; j < b.rows; j += columns_at_once) {
    const Index columns = std::min(columns_at_once, b.rows - j);
    const Index rows_at_once = capacity / columns;
    for (Index i = lower ? j : 0; i < a.rows; i += rows_at_once) {
      const Index rows = std::min(rows_at_once, a.rows - i);
      const MatrixView block{buffer.data(), rows, columns, rows};
      std::fill_n(block.data, Count{rows} * columns, 0.0);
      blas::gemm(blas::Op::transpose, part(a, i, rows, 0, a.columns),
                 part(b, j, columns, 0, b.columns), block);
      scatter(block, lower, i, j, target);
    }
  }
}

}  // namespace espalier::internal::cpu
