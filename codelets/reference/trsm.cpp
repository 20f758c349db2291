// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/reference/kernels.hpp"

namespace espalier::reference {

void trsm(ConstMatrixView l, MatrixView b, std::span<double>) noexcept {
  for (Index j = 0; j < b.columns; ++j) {
    for (Index k = 0; k < j; ++k) {
      for (Index i = 0; i < b.rows; ++i) b(i, j) -= b(i, k) * l(j, k);
    }
    for (Index i = 0; i < b.rows; ++i) b(i, j) /= l(j, j);
  }
}

}  // namespace espalier::reference
