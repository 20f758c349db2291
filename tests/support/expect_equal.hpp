// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include "matrix/sparse_matrix.hpp"

namespace espalier::support {

/// Expects the same pattern and the same bits.
inline void expect_equal(const SparseMatrix& a, const SparseMatrix& b) {
  EXPECT_EQ(a.pattern.n, b.pattern.n);
  EXPECT_EQ(a.pattern.column_begin, b.pattern.column_begin);
  EXPECT_EQ(a.pattern.row, b.pattern.row);
  EXPECT_EQ(a.value, b.value);
}

}  // namespace espalier::support
