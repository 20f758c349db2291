// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>

#include "codelets/kernels.hpp"

namespace espalier {

/// Some rows of an update: target -= A Bᵀ, where rows of A reach across the first `whole` columns
/// of the product, and beyond those only the lower trapezoid is meant. The rows of B after the
/// first `whole` are the first rows of A, or the other way round where A has less.
inline void update_rows(const Kernels& kernels, ConstMatrixView a, ConstMatrixView b, Index whole,
                        ScatterTarget target, std::span<double> buffer) {
  if (whole > 0) kernels.update(a, b.row_range(0, whole), false, target, buffer);
  const Index corner = std::min(b.rows - whole, a.rows);
  if (corner == 0) return;
  if (target.column != nullptr) {
    target.column += whole;
  } else {
    target.data += whole * target.ld;
  }
  kernels.update(a, b.row_range(whole, corner), true, target, buffer);
}

}  // namespace espalier
