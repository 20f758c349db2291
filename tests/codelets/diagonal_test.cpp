// SPDX-License-Identifier: BSD-3-Clause
#include "codelets/diagonal.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "codelets/dense_sample.hpp"
#include "codelets/factor.hpp"
#include "codelets/sample_worker.hpp"

namespace espalier {
namespace {

/// Columns 4 and 5 of L: a panel of four rows, one tile. A is [4 2; 2 10] with [6; 8] below.
class PanelOfTwo : public testing::Test {
 protected:
  PanelOfTwo() {
    context_.entries = {{0, 0, 0, 0, 0, 3, 5}, {{0, 0}, {1, 1}, {2, 2}, {1, 3}, {3, 4}}};
    context_.value = value_.data();
    context_.epoch = 1;
  }
  void run_diagonal() {
    const DiagonalTask task{{&context_}, &lazy_, 4};
    const MatrixView data[] = {panel_.view()};
    task.run(data, sample_.worker);
  }

  std::vector<double> value_{4, 2, 6, 10, 8};
  FactorContext context_;
  LazyTile lazy_{{4, 0}};
  support::DenseSample panel_{4, 2};
  support::SampleWorker sample_{8};
};

TEST_F(PanelOfTwo, IsFilledAndItsDiagonalBlockFactored) {
  run_diagonal();
  EXPECT_FALSE(context_.failure.happened());
  EXPECT_EQ(panel_(0, 0), 2);
  EXPECT_EQ(panel_(1, 0), 1);
  EXPECT_EQ(panel_(1, 1), 3);
  EXPECT_EQ(panel_(2, 0), 6);
  EXPECT_EQ(panel_(3, 1), 8);
  EXPECT_TRUE(panel_.guards_intact());
}

TEST_F(PanelOfTwo, IsScaledBelowTheDiagonalBlockInTheSameTile) {
  run_diagonal();
  const FactorTask task{{&context_}, &lazy_, 2};
  const MatrixView data[] = {panel_.view()};
  task.run(data, sample_.worker);
  EXPECT_EQ(panel_(0, 0), 2);
  EXPECT_EQ(panel_(2, 0), 3);
  EXPECT_EQ(panel_(2, 1), -1);
  EXPECT_EQ(panel_(3, 0), 0);
  EXPECT_DOUBLE_EQ(panel_(3, 1), 8.0 / 3);
}

TEST_F(PanelOfTwo, IsScaledInATileOfItsOwn) {
  run_diagonal();
  LazyTile lower{{4, 2}};
  support::DenseSample tile(2, 2);
  const FactorTask task{{&context_}, &lower, 0};
  const MatrixView data[] = {tile.view(), panel_.view()};
  task.run(data, sample_.worker);
  EXPECT_EQ(tile(0, 0), 3);
  EXPECT_EQ(tile(0, 1), -1);
  EXPECT_EQ(tile(1, 0), 0);
  EXPECT_DOUBLE_EQ(tile(1, 1), 8.0 / 3);
}

TEST_F(PanelOfTwo, ReportsItsFirstColumn) {
  value_[0] = -4;
  run_diagonal();
  EXPECT_EQ(context_.failure.column(), 4);
}

TEST_F(PanelOfTwo, ReportsItsLastColumn) {
  value_[3] = 1;
  run_diagonal();
  EXPECT_EQ(context_.failure.column(), 5);
}

/// Elimination leaves a positive pivot that is nothing but rounding.
TEST_F(PanelOfTwo, ReportsAPivotThatIsRounding) {
  value_[3] = std::nextafter(1.0, 2.0);
  run_diagonal();
  EXPECT_EQ(context_.failure.column(), 5);
}

}  // namespace
}  // namespace espalier
