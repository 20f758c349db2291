// SPDX-License-Identifier: BSD-3-Clause
#include "base/cost_grid.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace espalier {
namespace {

CostGrid sample() {
  CostGrid grid{{3, 2, 2}, {}};
  for (int i = 0; i < 12; ++i) grid.seconds.push_back(1.0 / (1 + i));
  return grid;
}

TEST(CostGrid, GivesWhatWasMeasuredAtItsPoints) {
  const CostGrid grid = sample();
  for (int x = 0; x < 3; ++x) {
    for (int y = 0; y < 2; ++y) {
      for (int z = 0; z < 2; ++z) {
        EXPECT_DOUBLE_EQ(grid.at(1 << x, 1 << y, 1 << z), grid.seconds[grid.point({x, y, z})]);
      }
    }
  }
}

TEST(CostGrid, IsMonotoneBetweenTwoPoints) {
  const CostGrid grid = sample();
  double previous = grid.at(2, 1, 1);
  for (double x = 2.1; x < 4; x += 0.1) {
    const double seconds = grid.at(x, 1, 1);
    EXPECT_LT(seconds, previous);
    EXPECT_GT(seconds, grid.at(4, 1, 1));
    previous = seconds;
  }
  EXPECT_DOUBLE_EQ(grid.at(3, 1, 1), 0.5 * (grid.at(2, 1, 1) + grid.at(4, 1, 1)));
  EXPECT_DOUBLE_EQ(grid.at(1, 1.5, 1.5), 0.25 * (1 + 1.0 / 2 + 1.0 / 3 + 1.0 / 4));
}

TEST(CostGrid, StaysBeyondItsEdges) {
  const CostGrid grid = sample();
  EXPECT_DOUBLE_EQ(grid.at(1e9, 1e9, 1e9), grid.at(4, 2, 2));
  EXPECT_DOUBLE_EQ(grid.at(0.1, 1, 1), grid.at(1, 1, 1));
}

TEST(CostGrid, LeavesOutDimensionsThatAKernelDoesNotHave) {
  const CostGrid grid{{2, 1, 1}, {3, 5}};
  EXPECT_DOUBLE_EQ(grid.at(1), 3);
  EXPECT_DOUBLE_EQ(grid.at(2), 5);
  EXPECT_DOUBLE_EQ(grid.at(1.5), 4);
}

TEST(CostGrid, IsSoundOnlyWithAPositiveValueForEveryPoint) {
  EXPECT_TRUE(sample().sound());
  EXPECT_FALSE(CostGrid{}.sound());
  for (const double bad : {0.0, -1.0, std::numeric_limits<double>::infinity(),
                           std::numeric_limits<double>::quiet_NaN()}) {
    CostGrid grid = sample();
    grid.seconds[5] = bad;
    EXPECT_FALSE(grid.sound()) << bad;
  }
  CostGrid grid = sample();
  grid.seconds.pop_back();
  EXPECT_FALSE(grid.sound());
  grid = {{0, 1, 1}, {}};
  EXPECT_FALSE(grid.sound());
  grid = {{1 << 30, 1 << 30, 1 << 30}, {1}};
  EXPECT_FALSE(grid.sound());
}

}  // namespace
}  // namespace espalier
