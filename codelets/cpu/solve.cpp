// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "codelets/cpu/blas.hpp"
#include "codelets/cpu/kernels.hpp"
#include "codelets/cpu/simd/kernels.hpp"

namespace espalier::internal::cpu {

namespace {

/// Maximum panel widths for which Espalier's kernels solve with several right-hand sides. For
/// narrow panels, calls and copies of the BLAS cost more than the BLAS gains.
constexpr Index narrow_update = 24;
constexpr Index narrow_triangle = 64;

ConstMatrixView triangle(ConstMatrixView l) { return l.row_range(0, l.columns); }
ConstMatrixView below(ConstMatrixView l) { return l.row_range(l.columns, l.rows - l.columns); }
MatrixView own(ConstMatrixView l, MatrixView x) { return x.column_range(0, l.columns); }
MatrixView rest(ConstMatrixView l, MatrixView x) {
  return x.column_range(l.columns, l.rows - l.columns);
}

}  // namespace

void forward(ConstMatrixView l, MatrixView x, Signs sign) noexcept {
  if (x.rows == 1) return simd::solve_kernels().forward(l, x.data, sign);
  const MatrixView top = own(l, x);
  kernels.trsm(triangle(l), top, {});
  if (sign != nullptr) apply_signs(top, sign, top);
  multiply(below(l), top, rest(l, x), nullptr, {});
  if (sign != nullptr) apply_signs(top, sign, top);
}

void backward(ConstMatrixView l, MatrixView x, Signs sign) noexcept {
  if (x.rows == 1) return simd::solve_kernels().backward(l, x.data, sign);
  if (l.columns < narrow_triangle) {
    return simd::solve_kernels().backward_many(l, x, sign);
  }
  const MatrixView top = own(l, x);
  multiply_transposed(below(l), rest(l, x), top);
  if (sign != nullptr) apply_signs(top, sign, top);
  blas::trsm(blas::Op::none, triangle(l), top);
}

namespace {

/// Multiplies copies of some columns of X, because other threads may read X.
void multiply_with_signs(ConstMatrixView a, ConstMatrixView x, MatrixView y, Signs sign,
                         std::span<double> memory) {
  const auto columns_at_once = static_cast<Index>(std::ssize(memory) / x.rows);
  for (Index j = 0; j < a.columns; j += columns_at_once) {
    const Index columns = std::min(columns_at_once, a.columns - j);
    const MatrixView copy{memory.data(), x.rows, columns, x.rows};
    apply_signs(x.column_range(j, columns), sign + j, copy);
    multiply(a.column_range(j, columns), copy, y, nullptr, {});
  }
}

}  // namespace

void multiply(ConstMatrixView a, ConstMatrixView x, MatrixView y, Signs sign,
              std::span<double> buffer) noexcept {
  if (sign != nullptr) {
    double single[256];
    return multiply_with_signs(a, x, y, sign, x.rows == 1 ? std::span<double>(single) : buffer);
  }
  if (x.rows == 1) return simd::solve_kernels().multiply(a, x.data, y.data);
  if (a.columns < narrow_update) {
    // If the operand is this narrow, the kernel copies no data and needs no buffer.
    return simd::small_kernels().update({x, a, false, {y.data, y.ld}});
  }
  blas::gemm(blas::Op::transpose, x, a, y);
}

void multiply_transposed(ConstMatrixView a, ConstMatrixView y, MatrixView x) noexcept {
  if (x.rows == 1) return simd::solve_kernels().multiply_transposed(a, y.data, x.data);
  blas::gemm(blas::Op::none, y, a, x);
}

}  // namespace espalier::internal::cpu
