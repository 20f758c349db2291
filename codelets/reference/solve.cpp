// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/reference/kernels.hpp"

namespace espalier::internal::reference {

void forward(ConstMatrixView l, MatrixView x, Signs sign) noexcept {
  for (Index r = 0; r < x.rows; ++r) {
    for (Index j = 0; j < l.columns; ++j) {
      x(r, j) /= l(j, j);
      const double below = sign_of(sign, j) * x(r, j);
      for (Index i = j + 1; i < l.columns; ++i) x(r, i) -= l(i, j) * x(r, j);
      for (Index i = l.columns; i < l.rows; ++i) x(r, i) -= l(i, j) * below;
    }
  }
}

void backward(ConstMatrixView l, MatrixView x, Signs sign) noexcept {
  for (Index r = 0; r < x.rows; ++r) {
    for (Index j = l.columns - 1; j >= 0; --j) {
      for (Index i = l.columns; i < l.rows; ++i) x(r, j) -= l(i, j) * x(r, i);
      x(r, j) *= sign_of(sign, j);
      for (Index i = j + 1; i < l.columns; ++i) x(r, j) -= l(i, j) * x(r, i);
      x(r, j) /= l(j, j);
    }
  }
}

void multiply(ConstMatrixView a, ConstMatrixView x, MatrixView y, Signs sign,
              std::span<double> /*buffer*/) noexcept {
  for (Index r = 0; r < y.rows; ++r) {
    for (Index j = 0; j < a.columns; ++j) {
      const double factor = sign_of(sign, j) * x(r, j);
      for (Index i = 0; i < a.rows; ++i) y(r, i) -= a(i, j) * factor;
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
