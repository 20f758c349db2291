// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "codelets/cpu/blas.hpp"
#include "codelets/cpu/kernels.hpp"
#include "codelets/cpu/simd/small_kernels.hpp"

namespace espalier::cpu {

namespace {

/// Inner dimension up to which own kernels, without packing and with the scatter fused, beat BLAS.
constexpr Index fused_inner = 64;
constexpr Index buffer_columns = 256;
/// Up to this order the half that SYRK saves costs more than a GEMM of the full square.
constexpr Index syrk_worth = 24;

/// The product subtracted where it belongs, without a buffer: SYRK on top of GEMM, or GEMM alone.
void subtract_in_place(ConstMatrixView a, ConstMatrixView b, bool lower, MatrixView c) {
  const Index top = lower ? b.rows : 0;
  if (top > 0) blas::syrk(b, {c.data, top, top, c.ld});
  if (a.rows > top) {
    blas::gemm(blas::Op::none, blas::Op::transpose, a.row_range(top, a.rows - top), b,
               c.row_range(top, a.rows - top));
  }
}

/// target -= product for entries [begin(j), rows) of each column.
void scatter(ConstMatrixView product, bool lower, const ScatterTarget& target) {
  for (Index j = 0; j < product.columns; ++j) {
    const double* const from = product.column(j);
    double* const to = target.data + target.ld * (target.column ? target.column[j] : j);
    const Index begin = lower ? j : 0;
    if (target.row == nullptr) {
      for (Index i = begin; i < product.rows; ++i) to[i] -= from[i];
    } else {
      const Index* const row = target.row;
      for (Index i = begin; i < product.rows; ++i) to[row[i]] -= from[i];
    }
  }
}

ScatterTarget shifted(const ScatterTarget& target, Index rows, Index columns) {
  ScatterTarget part = target;
  if (part.row) {
    part.row += rows;
  } else {
    part.data += rows;
  }
  if (part.column) {
    part.column += columns;
  } else {
    part.data += columns * part.ld;
  }
  return part;
}

/// A square on the diagonal, or a rectangle, that fits into the buffer.
void through_buffer(ConstMatrixView a, ConstMatrixView b, bool lower, const ScatterTarget& target,
                    std::span<double> buffer) {
  const MatrixView product{buffer.data(), a.rows, b.rows, a.rows};
  if (lower && a.rows == b.rows && b.rows > syrk_worth) {
    blas::syrk_product(a, product);
  } else {
    blas::gemm_product(a, b, product);
  }
  scatter(product, lower, target);
}

/// Columns that fit the buffer whatever the rows; rows are taken in chunks.
void update_columns(ConstMatrixView a, ConstMatrixView b, bool lower, const ScatterTarget& target,
                    std::span<double> buffer) {
  const auto capacity = static_cast<Index>(static_cast<Count>(buffer.size()) / b.rows);
  Index done = 0;
  if (lower && (b.rows > syrk_worth || a.rows > capacity)) {
    done = b.rows;
    through_buffer(a.row_range(0, done), b, true, target, buffer);
    lower = false;
  }
  while (done < a.rows) {
    const Index rows = std::min(capacity, a.rows - done);
    through_buffer(a.row_range(done, rows), b, lower, shifted(target, done, 0), buffer);
    done += rows;
  }
}

}  // namespace

void update(ConstMatrixView a, ConstMatrixView b, bool lower, const ScatterTarget& target,
            std::span<double> buffer) noexcept {
  if (a.columns <= fused_inner) {
    simd::small_kernels().update(a, b, lower, target);
    return;
  }
  if (target.row == nullptr && target.column == nullptr) {
    subtract_in_place(a, b, lower, {target.data, a.rows, b.rows, target.ld});
    return;
  }
  for (Index done = 0; done < b.rows;) {
    const Index columns = std::min(buffer_columns, b.rows - done);
    const Index skipped = lower ? done : 0;
    update_columns(a.row_range(skipped, a.rows - skipped), b.row_range(done, columns), lower,
                   shifted(target, skipped, done), buffer);
    done += columns;
  }
}

}  // namespace espalier::cpu
