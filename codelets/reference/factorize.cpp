// SPDX-License-Identifier: BSD-3-Clause

#include <cmath>

#include "codelets/reference/kernels.hpp"

namespace espalier::internal::reference {

PivotReport potrf(MatrixView a) noexcept {
  for (Index j = 0; j < a.columns; ++j) {
    for (Index k = 0; k < j; ++k) {
      for (Index i = j; i < a.rows; ++i) a(i, j) -= a(i, k) * a(j, k);
    }
    if (!(a(j, j) > 0)) return {j};
    a(j, j) = std::sqrt(a(j, j));
    for (Index i = j + 1; i < a.rows; ++i) a(i, j) /= a(j, j);
  }
  return {};
}

void trsm(ConstMatrixView l, MatrixView b, std::span<double>) noexcept {
  for (Index j = 0; j < b.columns; ++j) {
    for (Index k = 0; k < j; ++k) {
      for (Index i = 0; i < b.rows; ++i) b(i, j) -= b(i, k) * l(j, k);
    }
    for (Index i = 0; i < b.rows; ++i) b(i, j) /= l(j, j);
  }
}

void update(const UpdateArguments& given) noexcept {
  const auto& [a, b, lower, target, buffer] = given;
  for (Index j = 0; j < b.rows; ++j) {
    for (Index i = lower ? j : 0; i < a.rows; ++i) {
      double sum = 0;
      for (Index k = 0; k < a.columns; ++k) sum += a(i, k) * b(j, k);
      const Index row = target.row ? target.row[i] : i;
      const Index column = target.column ? target.column[j] : j;
      target.data[row + column * target.ld] -= sum;
    }
  }
}

const Kernels kernels{potrf, trsm, update, forward, backward, multiply, multiply_transposed};

}  // namespace espalier::internal::reference
