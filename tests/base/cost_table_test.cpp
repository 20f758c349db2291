// SPDX-License-Identifier: BSD-3-Clause

#include "base/cost_table.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace espalier::internal {
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
  for (int tenths = 21; tenths < 40; ++tenths) {
    const double seconds = grid.at(tenths / 10.0, 1, 1);
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
namespace {

constexpr auto update = TaskKind::update;
constexpr auto subtree = TaskKind::subtree;

/// Returns the time of `flops` operations at this rate.
double seconds(double flops, double mflops_a_second) { return flops / (mflops_a_second * 1e6); }

constexpr double large = 1 << 21;  ///< entries of L

TaskHistory::Features task_of(TaskKind kind, double flops, double rate, double entries = large) {
  return {kind, flops, seconds(flops, rate), entries};
}

void add(TaskHistory& history, int times, double ratio, double flops = 1024, double rate = 16,
         double entries = large) {
  for (int i = 0; i < times; ++i) history.add(task_of(update, flops, rate, entries), ratio);
}

double factor(const TaskHistory& history, TaskKind kind, double flops, double rate,
              double entries = large) {
  return history.factor(task_of(kind, flops, rate, entries));
}

TEST(TaskHistory, ChangesNothingBeforeTheFirstSample) {
  const TaskHistory history;
  EXPECT_EQ(factor(history, update, 1e6, 32), 1);
  EXPECT_TRUE(history.empty());
  EXPECT_TRUE(history.buckets().empty());
}

TEST(TaskHistory, LearnsTheRatioOfAClassAndOfNoOtherKind) {
  TaskHistory history;
  add(history, 1000, 1.5);
  EXPECT_NEAR(factor(history, update, 1024, 16), 1.5, 1e-9);
  EXPECT_EQ(factor(history, subtree, 1024, 16), 1);
}

TEST(TaskHistory, TakesTheNearestClassWhereNoneAroundIsKnown) {
  TaskHistory history;
  add(history, 1000, 1.5);
  add(history, 1000, 3, 1024 * 1024);
  EXPECT_NEAR(factor(history, update, 1024 * 8, 16), 1.5, 1e-9);
  EXPECT_NEAR(factor(history, update, 1024 * 128, 16), 3, 1e-9);
  EXPECT_NEAR(factor(history, update, 1024, 64), 1.5, 1e-9);
  EXPECT_EQ(factor(history, update, 1e12, 16), 1);
  EXPECT_EQ(factor(history, update, 1024, 4096), 1);
}

TEST(TaskHistory, GoesSmoothlyFromOneClassToTheNext) {
  TaskHistory history;
  add(history, 100, 1.0);
  add(history, 100, 2.0, 2048);
  EXPECT_NEAR(factor(history, update, 1024 * std::sqrt(2), 16), std::sqrt(2), 1e-9);
  double previous = 1;
  for (int flops = 1100; flops < 2048; flops += 100) {
    const double between = factor(history, update, flops, 16);
    EXPECT_GT(between, previous);
    EXPECT_LT(between, 2);
    previous = between;
  }
}

TEST(TaskHistory, CountsASampleForTheClassesAroundIt) {
  TaskHistory history;
  add(history, 1000, 1.0, 1024);
  add(history, 1000, 2.0, 1024 * std::sqrt(2));
  const double left = factor(history, update, 1024, 16);
  EXPECT_GT(left, 1.1);
  EXPECT_NEAR(factor(history, update, 2048, 16), 2.0, 1e-9);
  EXPECT_LT(left, factor(history, update, 1024 * std::sqrt(2), 16));
  EXPECT_EQ(history.buckets().size(), 2U);
}

TEST(TaskHistory, TellsHalfAnOctaveOfRatesApart) {
  TaskHistory history;
  history.add(task_of(update, 1024, 16), 1.5, 1000);
  history.add(task_of(update, 1024, 16 * std::sqrt(2)), 0.5, 1000);
  EXPECT_NEAR(factor(history, update, 1024, 16), 1.5, 1e-6);
  EXPECT_NEAR(factor(history, update, 1024, 16 * std::sqrt(2)), 0.5, 1e-6);
}

TEST(TaskHistory, TellsSmallFactorsFromLargeOnes) {
  TaskHistory history;
  add(history, 1000, 0.7, 1024, 16, 1e5);
  EXPECT_NEAR(factor(history, update, 1024, 16, 1 << 17), 0.7, 1e-9);
  add(history, 1000, 1.1, 1024, 16, 1 << 25);
  EXPECT_NEAR(factor(history, update, 1024, 16, 1e3), 0.7, 1e-9);
  EXPECT_NEAR(factor(history, update, 1024, 16, 1e9), 1.1, 1e-9);
  EXPECT_NEAR(factor(history, update, 1024, 16, 1 << 20), 0.7, 1e-9);  // the nearer one
  add(history, 1000, 0.9, 1024, 16, 1 << 23);
  const double between = factor(history, update, 1024, 16, 1 << 24);
  EXPECT_NEAR(between, std::sqrt(0.9 * 1.1), 1e-9);
}

TEST(TaskHistory, ExpectsNoSavingsOfCachesFromALargerFactor) {
  TaskHistory history;
  add(history, 1000, 0.5, 1024, 16, 1 << 21);
  EXPECT_NEAR(factor(history, update, 1024, 16, 1 << 21), 0.5, 1e-9);
  EXPECT_NEAR(factor(history, update, 1024, 16, 1 << 22), std::sqrt(0.5), 1e-9);
  EXPECT_NEAR(factor(history, update, 1024, 16, 1e12), 1, 1e-4);
  history.cached_entries = 1 << 22;
  EXPECT_NEAR(factor(history, update, 1024, 16, 1 << 22), std::sqrt(0.5), 1e-9);
  history.cached_entries = 1 << 20;  // the samples come from an L outside of the caches
  EXPECT_NEAR(factor(history, update, 1024, 16, 1e12), 0.5, 1e-9);
}

TEST(TaskHistory, ExpectsLossesFromALargerFactor) {
  TaskHistory history;
  add(history, 1000, 1.5, 1024, 16, 1 << 21);
  EXPECT_NEAR(factor(history, update, 1024, 16, 1e9), 1.5, 1e-9);
}

TEST(TaskHistory, TakesTheFasterOfTwoMeasurements) {
  const TaskHistory::Features slow_first{TaskKind::update, 1e6, 1e-4, 1e6};
  const TaskHistory::Features slow_then{TaskKind::update, 1e8, 1e-2, 1e6};
  const TaskHistory::Features only_then{TaskKind::diagonal, 1e8, 1e-2, 1e6};
  TaskHistory history;
  history.add(slow_first, 1.5, 9);
  history.add(slow_then, 0.9, 9);
  TaskHistory other;
  other.add(slow_first, 1.1, 9);
  other.add(slow_then, 1.2, 9);
  other.add(only_then, 1.3, 9);
  history.take_faster(other);
  EXPECT_NEAR(history.factor(slow_first), 1.1, 1e-9);
  EXPECT_NEAR(history.factor(slow_then), 0.9, 1e-9);
  EXPECT_NEAR(history.factor(only_then), 1.3, 1e-9);
}

TEST(TaskHistory, MovesToOtherRates) {
  TaskHistory history;
  add(history, 30, 1.7);
  const TaskHistory moved = history.at_other_rates(4);
  EXPECT_NEAR(factor(moved, update, 1024, 64), factor(history, update, 1024, 16), 1e-9);
  EXPECT_EQ(moved.buckets().front().rate, history.buckets().front().rate + 4);
}

TEST(TaskHistory, CountsAMedianOfRunsAsSoMany) {
  TaskHistory one;
  TaskHistory many;
  for (const double ratio : {1.5, 1.1, 1.3}) {
    one.add(task_of(update, 1024, 16), ratio, 8);
    add(many, 8, ratio);
  }
  EXPECT_NEAR(factor(one, update, 1024, 16), factor(many, update, 1024, 16), 1e-3);
  EXPECT_EQ(one.buckets().front().samples, 24);
}

TEST(TaskHistory, LetsOldSamplesFade) {
  TaskHistory history;
  add(history, 1000, 1.0);
  add(history, 1000, 1.4);
  EXPECT_NEAR(factor(history, update, 1024, 16), 1.4, 0.01);
}

TEST(TaskHistory, IsNotMovedFarByOneOutlier) {
  TaskHistory history;
  add(history, 50, 1.0);
  add(history, 1, 1e6);
  EXPECT_LT(factor(history, update, 1024, 16), 1.02);
}

TEST(TaskHistory, IgnoresWhatCannotBeMeasured) {
  TaskHistory history;
  for (const double bad : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity()}) {
    add(history, 1, bad);
  }
  EXPECT_EQ(factor(history, update, 1024, 16), 1);
}

TEST(TaskHistory, TakesAnySize) {
  TaskHistory history;
  history.add({update, 0, 0, 0}, 3);
  add(history, 41, 3, 1e30, 1e9);
  EXPECT_NEAR(factor(history, update, 1e40, 1e12), 3, 1e-6);
  EXPECT_GT(history.factor({update, 0, 0, 0}), 1);
}

TEST(TaskHistory, ComesBackFromItsBuckets) {
  TaskHistory history;
  add(history, 30, 1.7);
  add(history, 3, 0.6, 1e9, 200);
  TaskHistory copy;
  for (const auto& bucket : history.buckets()) EXPECT_TRUE(copy.restore(bucket));
  for (const double flops : {1024.0, 1500.0, 1e9}) {
    for (const double rate : {16.0, 100.0, 200.0}) {
      EXPECT_EQ(factor(copy, update, flops, rate), factor(history, update, flops, rate));
    }
  }
}

TEST(TaskHistory, RefusesImpossibleBuckets) {
  TaskHistory history;
  EXPECT_TRUE(history.restore({update, 10, 4, 1, 5, 0.1}));
  EXPECT_FALSE(history.restore({static_cast<TaskKind>(77), 10, 4, 1, 5, 0.1}));
  EXPECT_FALSE(history.restore({update, -1, 4, 1, 5, 0.1}));
  EXPECT_FALSE(history.restore({update, 10, 400, 1, 5, 0.1}));
  EXPECT_FALSE(history.restore({update, 10, 4, 9, 5, 0.1}));
  EXPECT_FALSE(history.restore({update, 10, 4, 1, 0, 0.1}));
  EXPECT_FALSE(history.restore({update, 10, 4, 1, 5, 100}));
  EXPECT_FALSE(history.restore({update, 10, 4, 1, 5, std::nan("")}));
}

}  // namespace
}  // namespace espalier::internal
