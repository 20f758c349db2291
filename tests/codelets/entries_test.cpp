// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/entries.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "codelets/context.hpp"
#include "codelets/samples.hpp"

namespace espalier::internal {
namespace {

using support::DenseSample;

/// Two columns of L, 4 and 5, of a panel with 5 rows. Columns 0 to 3 have no entries.
struct EntriesOfTwo {
  PanelEntries entries{{0, 0, 0, 0, 0, 3, 5}, {{0, 4}, {2, 0}, {4, 2}, {1, 1}, {3, 3}}};
  std::vector<double> value{10, 20, 30, 40, 50};
};

TEST(PanelEntry, HoldsTheLargestRowAndSource) {
  const Index row = std::numeric_limits<Index>::max();
  const Count source = PanelEntry::most_sources - 1;
  const PanelEntry entry(row, source);
  EXPECT_EQ(entry.local_row(), row);
  EXPECT_EQ(entry.source(), source);
  EXPECT_LT(PanelEntry(row - 1, source), PanelEntry(row, 0));
}

TEST(PanelEntries, FillAWholePanel) {
  const EntriesOfTwo panel;
  DenseSample target(5, 2);
  fill(panel.entries, panel.value.data(), {4, 0}, target.view());
  const double expected[2][5] = {{50, 0, 10, 0, 30}, {0, 20, 0, 40, 0}};
  for (Index j = 0; j < 2; ++j) {
    for (Index i = 0; i < 5; ++i) EXPECT_EQ(target(i, j), expected[j][i]) << i << ", " << j;
  }
  EXPECT_TRUE(target.guards_intact());
}

TEST(PanelEntries, FillEveryRangeOfRowsLikeThePanel) {
  const EntriesOfTwo panel;
  DenseSample whole(5, 2);
  fill(panel.entries, panel.value.data(), {4, 0}, whole.view());
  for (Index begin = 0; begin < 5; ++begin) {
    for (Index end = begin + 1; end <= 5; ++end) {
      DenseSample part(end - begin, 2);
      fill(panel.entries, panel.value.data(), {4, begin}, part.view());
      for (Index j = 0; j < 2; ++j) {
        for (Index i = begin; i < end; ++i) EXPECT_EQ(part(i - begin, j), whole(i, j));
      }
      EXPECT_TRUE(part.guards_intact());
    }
  }
}

TEST(FailedPivot, IsTheFirstThatKeepsNothingOfItsDiagonalEntry) {
  const EntriesOfTwo panel;  // diagonal entries 50 and 20
  DenseSample l(2, 2);
  l(0, 0) = 7, l(1, 1) = 4;
  EXPECT_EQ(check_pivots(panel.entries, panel.value.data(), 4, l.view()).first_bad, -1);
  l(1, 1) = 1e-9;
  EXPECT_EQ(check_pivots(panel.entries, panel.value.data(), 4, l.view()).first_bad, 1);
  l(0, 0) = 0;
  EXPECT_EQ(check_pivots(panel.entries, panel.value.data(), 4, l.view()).first_bad, 0);
}

TEST(FailedPivot, IsOneThatIsNotANumber) {
  const EntriesOfTwo panel;
  DenseSample l(2, 2);
  l(0, 0) = 7, l(1, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(check_pivots(panel.entries, panel.value.data(), 4, l.view()).first_bad, 1);
}

TEST(FailedPivot, IsNoneWhereTheScaleIsSmallButTheShareIsNot) {
  const PanelEntries entries{{0, 1}, {{0, 0}}};
  const double tiny = 1e-280;
  DenseSample l(1, 1);
  l(0, 0) = 1e-141;
  EXPECT_EQ(check_pivots(entries, &tiny, 0, l.view()).first_bad, -1);
}

TEST(LazyTile, IsFilledOnceAnEpoch) {
  EntriesOfTwo panel;
  FactorContext context;
  context.entries = panel.entries;
  context.value = panel.value.data();
  context.epoch = 1;
  LazyTile tile{{4, 1}};
  DenseSample target(3, 2);
  tile.fill_once(context, target.view());
  EXPECT_EQ(target(0, 1), 20);
  target(0, 1) = -1;
  tile.fill_once(context, target.view());
  EXPECT_EQ(target(0, 1), -1) << "filled twice in one factorization";
  panel.value[1] = 21;
  ++context.epoch;
  tile.fill_once(context, target.view());
  EXPECT_EQ(target(0, 1), 21) << "not filled again in the next factorization";
}

/// After a failure some slices of a factorization are skipped. The next factorization fills the
/// tile again.
TEST(LazyTile, CountsAsFilledOnlyAfterItsLastSlice) {
  EntriesOfTwo panel;
  FactorContext context;
  context.entries = panel.entries;
  context.value = panel.value.data();
  context.epoch = 1;
  LazyTile tile{{4, 1}};
  DenseSample target(3, 2);
  tile.fill_once(context, target.view(), {0, 1}, {0, 2});
  EXPECT_EQ(tile.epoch, 0);
  ++context.epoch;
  tile.fill_once(context, target.view(), {1, 3}, {1, 2});
  EXPECT_EQ(tile.epoch, 0);
  tile.fill_once(context, target.view(), {0, 1}, {0, 2});
  EXPECT_EQ(tile.epoch, 2);
  EXPECT_EQ(target(0, 1), 20);
}

}  // namespace
}  // namespace espalier::internal
