// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/reference/kernels.hpp"

namespace espalier::reference {

void solve_lower(ConstMatrixView l, MatrixView x) noexcept {
  for (Index r = 0; r < x.columns; ++r) {
    for (Index j = 0; j < x.rows; ++j) {
      x(j, r) /= l(j, j);
      for (Index i = j + 1; i < x.rows; ++i) x(i, r) -= l(i, j) * x(j, r);
    }
  }
}

void solve_lower_transposed(ConstMatrixView l, MatrixView x) noexcept {
  for (Index r = 0; r < x.columns; ++r) {
    for (Index j = x.rows - 1; j >= 0; --j) {
      for (Index i = j + 1; i < x.rows; ++i) x(j, r) -= l(i, j) * x(i, r);
      x(j, r) /= l(j, j);
    }
  }
}

void multiply(ConstMatrixView a, ConstMatrixView x, MatrixView y) noexcept {
  for (Index r = 0; r < y.columns; ++r) {
    for (Index j = 0; j < a.columns; ++j) {
      for (Index i = 0; i < a.rows; ++i) y(i, r) -= a(i, j) * x(j, r);
    }
  }
}

void multiply_transposed(ConstMatrixView a, ConstMatrixView x, MatrixView y) noexcept {
  for (Index r = 0; r < y.columns; ++r) {
    for (Index j = 0; j < a.columns; ++j) {
      for (Index i = 0; i < a.rows; ++i) y(j, r) -= a(i, j) * x(i, r);
    }
  }
}

}  // namespace espalier::reference
