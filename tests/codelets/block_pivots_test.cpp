// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/block_pivots.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "codelets/pivot_signs.hpp"
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

/// The first column has a large ratio but small entries, the second large entries but a large
/// pivot, and the third both.
TEST(BlockPivots, MarkColumnsWhoseLargeEntriesHaveSmallPivots) {
  const std::vector<double> l{1e-3, 0, 0, 0, 4, 0, 0, 0, 1e-3};
  const std::vector<double> z{-30, 2, 1, -300, 0, -33};
  BlockPivots pivots;
  pivots.swap.resize(3);
  pivots.weak.resize(3);
  pivots.mark_weak(0, {l.data(), 3, 3, 3}, {z.data(), 2, 3, 2});
  EXPECT_EQ(pivots.weak, (std::vector<std::uint8_t>{0, 0, 1}));
}

/// Each thread sees the result, whichever thread computes it.
TEST(BlockPivots, TakeDataOfATileOnce) {
  constexpr int marks = 2000;
  std::vector<std::uint8_t> mark(marks);
  std::vector<int> data(marks);
  std::atomic<int> takes = 0;
  std::atomic<int> seen = 0;
  const auto work = [&] {
    for (int k = 0; k < marks; ++k) {
      BlockPivots::once(mark[k], [&] {
        data[k] = k + 1;
        ++takes;
      });
      if (data[k] == k + 1) ++seen;
    }
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(takes, marks);
  EXPECT_EQ(seen, 4 * marks);
}

/// Ranks that have only tiles of a panel get its pivots from them.
TEST(BlockPivots, ComeWithTilesOfSharedPanels) {
  PivotSigns own;
  own.sign = {1, 1, 1, -1, 1, -1, -1};
  own.chosen = sample_pivots();
  own.chosen.shared_begin = 2;
  own.chosen.inner.resize(7);
  own.chosen.known_signs.resize(7);
  own.chosen.known_swaps.resize(7);
  own.replaced.resize(7);
  PivotSigns other = own;
  other.sign.assign(7, 1);
  other.chosen.swap.assign(7, 0);
  other.chosen.rotation.assign(7, {});
  DenseSample block = DenseSample::dominant_lower(5, 4);
  DenseSample below = DenseSample::random(3, 5, 5);
  pack_pivots(block.view(), own.chosen.at(2, &own.sign[2], &own.replaced[2]));
  own.tell(2, below.view());
  PivotSigns third = other;
  third.learn(2, below.view());
  EXPECT_EQ(third.sign, own.sign);
  EXPECT_NE(third.chosen.swap, own.chosen.swap);
  other.learn_pivots(2, block.view());
  EXPECT_EQ(other.sign, own.sign);
  EXPECT_EQ(other.chosen.swap, own.chosen.swap);
  EXPECT_NEAR(other.chosen.rotation[3].sine, 0.6, 1e-15);
  other.chosen.forget();
  other.chosen.shared_begin = 7;
  const std::vector<double> before = other.sign;
  other.learn(2, DenseSample::random(3, 5, 6).view());
  EXPECT_EQ(other.sign, before);
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
