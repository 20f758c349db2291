// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/reference/kernels.hpp"

namespace espalier::internal::reference {

void forward(ConstMatrixView l, MatrixView x) noexcept {
  for (Index r = 0; r < x.rows; ++r) {
    for (Index j = 0; j < l.columns; ++j) {
      x(r, j) /= l(j, j);
      for (Index i = j + 1; i < l.rows; ++i) x(r, i) -= l(i, j) * x(r, j);
    }
  }
}

void backward(ConstMatrixView l, MatrixView x) noexcept {
  for (Index r = 0; r < x.rows; ++r) {
    for (Index j = l.columns - 1; j >= 0; --j) {
      for (Index i = j + 1; i < l.rows; ++i) x(r, j) -= l(i, j) * x(r, i);
      x(r, j) /= l(j, j);
    }
  }
}

void multiply(ConstMatrixView a, ConstMatrixView x, MatrixView y) noexcept {
  for (Index r = 0; r < y.rows; ++r) {
    for (Index j = 0; j < a.columns; ++j) {
      for (Index i = 0; i < a.rows; ++i) y(r, i) -= a(i, j) * x(r, j);
    }
  }
}

void multiply_transposed(ConstMatrixView a, ConstMatrixView y, MatrixView x) noexcept {
  for (Index r = 0; r < x.rows; ++r) {
    for (Index j = 0; j < a.columns; ++j) {
      for (Index i = 0; i < a.rows; ++i) x(r, j) -= a(i, j) * y(r, i);
    }
  }
}

}  // namespace espalier::internal::reference
