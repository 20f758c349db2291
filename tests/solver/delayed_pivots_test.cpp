// SPDX-License-Identifier: BSD-3-Clause
#include "solver/delayed_pivots.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
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

TEST_F(DelayedPivots, EndWithGivenSigns) {
  const Analysis analysis(saddle_);
  Factor factor(runtime_, analysis, pivoting());
  ASSERT_TRUE(factor.factorize(saddle_).ok());
  ASSERT_GT(factor.report().factor.delayed, 0);
  factor.set_signs(std::vector<signed char>(static_cast<std::size_t>(saddle_.size()), 1));
  EXPECT_TRUE(std::ranges::equal(factor.permutation(), analysis.permutation()));
  const Matrix definite = saddle_.with_values([&] {
    std::vector<double> values(static_cast<std::size_t>(saddle_.entries()), 0);
    for (Index j = 0; j < saddle_.size(); ++j) values[saddle_.column_begin()[j]] = 1;
    return values;
  }());
  ASSERT_TRUE(factor.factorize(definite).ok());
  EXPECT_EQ(std::ssize(factor.lower(ExplicitZeros::kept).row), analysis.factor_entries());
  EXPECT_EQ(factor.report().factor.delayed, 0);
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
