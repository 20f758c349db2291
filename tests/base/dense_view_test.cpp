// SPDX-License-Identifier: BSD-3-Clause
#include "base/dense_view.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "base/address_space.hpp"

namespace espalier {
namespace {

TEST(DenseView, AddressesEntriesByColumns) {
  std::vector<double> memory(20);
  std::iota(memory.begin(), memory.end(), 0.0);
  const MatrixView view{memory.data(), 3, 4, 5};
  EXPECT_EQ(view(0, 0), 0);
  EXPECT_EQ(view(2, 0), 2);
  EXPECT_EQ(view(1, 3), 16);
  EXPECT_EQ(view.column(2), memory.data() + 10);
}

TEST(DenseView, OfRowsOrColumnsKeepsTheLeadingDimension) {
  std::vector<double> memory(20);
  std::iota(memory.begin(), memory.end(), 0.0);
  const MatrixView view{memory.data(), 5, 4, 5};
  const ConstMatrixView rows = view.row_range(2, 3);
  EXPECT_EQ(rows.rows, 3);
  EXPECT_EQ(rows.columns, 4);
  EXPECT_EQ(rows(0, 1), 7);
  const MatrixView columns = view.column_range(1, 2);
  EXPECT_EQ(columns.rows, 5);
  EXPECT_EQ(columns.columns, 2);
  EXPECT_EQ(columns(4, 1), 14);
}

TEST(DenseView, ReachesEntriesBeyond32Bits) {
  constexpr Count ld = 3000000;
  const support::AddressSpace memory(2000 * ld);
  const MatrixView view{memory.begin(), 5, 2000, ld};
  EXPECT_EQ(view.column(1999) - memory.begin(), 1999 * ld);
  EXPECT_EQ(view.column_range(1500, 500).column(499) - memory.begin(), 1999 * ld);
  EXPECT_EQ(&view.row_range(3, 2)(1, 1999) - memory.begin(), 1999 * ld + 4);
}

}  // namespace
}  // namespace espalier
