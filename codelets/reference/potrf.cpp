// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "codelets/reference/kernels.hpp"

namespace espalier::reference {

Index potrf(MatrixView a) noexcept {
  for (Index j = 0; j < a.columns; ++j) {
    for (Index k = 0; k < j; ++k) {
      for (Index i = j; i < a.rows; ++i) a(i, j) -= a(i, k) * a(j, k);
    }
    if (!(a(j, j) > 0)) return j;
    a(j, j) = std::sqrt(a(j, j));
    for (Index i = j + 1; i < a.rows; ++i) a(i, j) /= a(j, j);
  }
  return -1;
}

}  // namespace espalier::reference
