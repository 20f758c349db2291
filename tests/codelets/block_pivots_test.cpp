// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/block_pivots.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "codelets/samples.hpp"
#include "support/tolerance.hpp"

namespace espalier::internal {
namespace {

using support::DenseSample;

/// The pivots of a panel of five columns that begins with column 2.
BlockPivots sample_pivots() {
  BlockPivots pivots;
  pivots.swap = {0, 0, 3, 1, 2, 4, 4};
  pivots.rotation.resize(7);
  pivots.rotation[3] = {0.8, 0.6};
  pivots.weak.resize(7);
  return pivots;
}

TEST(BlockPivots, SwapColumnsAndThenRotatePairs) {
  DenseSample rows = DenseSample::random(3, 5, 1);
  const DenseSample given = rows;
  sample_pivots().apply(2, rows.view());
  for (Index i = 0; i < 3; ++i) {
    // The swaps of 0 and 3, then of 3 and 4, lead to the order 3, 1, 2, 4, 0.
    EXPECT_EQ(rows(i, 0), given(i, 3));
    EXPECT_DOUBLE_EQ(rows(i, 1), 0.8 * given(i, 1) - 0.6 * given(i, 2));
    EXPECT_DOUBLE_EQ(rows(i, 2), 0.6 * given(i, 1) + 0.8 * given(i, 2));
    EXPECT_EQ(rows(i, 3), given(i, 4));
    EXPECT_EQ(rows(i, 4), given(i, 0));
  }
}

TEST(BlockPivots, UndoWhatTheyApplied) {
  DenseSample rows = DenseSample::random(4, 5, 2);
  const DenseSample given = rows;
  const BlockPivots pivots = sample_pivots();
  pivots.apply(2, rows.view());
  pivots.undo(2, rows.view());
  EXPECT_TRUE(support::close(rows.view(), given.view(), 5));
}

TEST(BlockPivots, WithoutColumnsChangeNothing) {
  BlockPivots none;
  DenseSample rows = DenseSample::random(2, 3, 3);
  const DenseSample given = rows;
  none.apply(0, rows.view());
  none.undo(0, rows.view());
  none.mark_weak(0, rows.view(), rows.view());
  EXPECT_TRUE(rows.same_bits(given));
}

/// The entry is found at each place of a column, and in no other column.
TEST(BlockPivots, MarkColumnsWithLargeEntries) {
  constexpr Index height = 19;
  DenseSample l = DenseSample::dominant_lower(5, 4);
  for (Index j = 0; j < 5; ++j) l(j, j) = 2;
  for (Index i = 0; i < height; ++i) {
    for (const double entry : {199.0, -201.0}) {
      BlockPivots pivots = sample_pivots();
      DenseSample z = DenseSample::random(height, 5, 5);
      z(i, 3) = entry;
      pivots.mark_weak(2, l.view(), z.view());
      std::vector<std::uint8_t> expected(7);
      expected[5] = entry < -200 ? 1 : 0;
      EXPECT_EQ(pivots.weak, expected) << i << ", " << entry;
    }
  }
}

}  // namespace
}  // namespace espalier::internal
