// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/reference/kernels.hpp"

namespace espalier::reference {

void update(ConstMatrixView a, ConstMatrixView b, bool lower, const ScatterTarget& target,
            std::span<double> /*buffer*/) noexcept {
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

}  // namespace espalier::reference
