// SPDX-License-Identifier: BSD-3-Clause
#include "solver/delayed_pivots.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "solver/sample_solver.hpp"
#include "support/expect.hpp"

namespace espalier::internal {
namespace {

FactorOptions pivoting() {
  FactorOptions options;
  options.factorization = Factorization::ldlt;
  return options;
}

class DelayedPivots : public testing::Test {
 protected:
  Runtime runtime_{RuntimeOptions{2, "prio"}};
  Matrix saddle_ = Matrix::load("stokes2d:40");
};

/// The natural partners of the zero diagonal entries are in other panels.
TEST_F(DelayedPivots, MakeSolutionsOfSaddlePointsAccurate) {
  Factor factor(runtime_, Analysis(saddle_), pivoting());
  ASSERT_TRUE(factor.factorize(saddle_).ok());
  const Index delayed = factor.report().factor.delayed;
  EXPECT_GT(delayed, 0);
  support::expect_solves(factor, saddle_);
  EXPECT_EQ(factor.inertia().negative, 40 * 40 - 1);
  ASSERT_TRUE(factor.factorize(saddle_).ok());
  EXPECT_EQ(factor.report().factor.delayed, delayed);
  support::expect_solves(factor, saddle_);
}

TEST_F(DelayedPivots, AreNotNeededWithAMatching) {
  AnalysisOptions matching;
  matching.matching = true;
  Factor factor(runtime_, Analysis(saddle_, matching), pivoting());
  ASSERT_TRUE(factor.factorize(saddle_).ok());
  EXPECT_EQ(factor.report().factor.delayed, 0);
  support::expect_solves(factor, saddle_);
}

TEST_F(DelayedPivots, KeepTheFactorIfThereIsNoMemory) {
  const Analysis analysis(saddle_);
  FactorOptions limited = pivoting();
  limited.memory_limit =
      Factor(runtime_, analysis, pivoting()).report().symbolic.predicted_peak_bytes;
  Factor factor(runtime_, analysis, limited);
  ASSERT_TRUE(factor.factorize(saddle_).ok());
  EXPECT_EQ(factor.inertia().positive + factor.inertia().negative, saddle_.size());
}

}  // namespace
}  // namespace espalier::internal
