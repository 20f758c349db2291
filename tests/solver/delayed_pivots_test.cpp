// SPDX-License-Identifier: BSD-3-Clause
#include "solver/delayed_pivots.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "espalier/error.hpp"
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

/// A factor with given errors, one per factorization.
class SampleFactor final : public RepeatableFactor {
 public:
  explicit SampleFactor(std::vector<double> errors) : errors_(std::move(errors)) {}

  bool chooses_pivots() const override { return true; }
  bool has_failed_columns() override { return factored < std::ssize(errors_); }
  double probed_error() override { return errors_[factored]; }
  bool move_failed_columns(Index by) override {
    levels.push_back(by);
    if (loses_memory) allocated_ = false;
    if (fails) throw MemoryError("full");
    return true;
  }
  bool is_allocated() const override { return allocated_; }
  void allocate_again() override {
    ++allocations;
    allocated_ = true;
  }
  void factorize_again() override { ++factored; }

  bool fails = false;
  bool loses_memory = false;
  std::vector<Index> levels;
  Index factored = 0;
  Index allocations = 0;

 private:
  std::vector<double> errors_;
  bool allocated_ = true;
};

TEST(RepeatedFactor, MovesColumnsFartherWhileTheErrorFalls) {
  const std::pair<std::vector<double>, std::vector<Index>> samples[] = {
      {{}, {}},
      {{1e-13}, {}},
      {{1e-11}, {1}},
      {{1e-3, 1e-3, 1e-3, 1e-5, 1e-7}, {1, 4}},
      {{1e-3, 1e-3, 1e-5, 1e-7, 1e-9, 1e-11, 1e-11}, {1, 4, 16, 64, 256}},
      {{1e-3, 1e-14}, {1}}};
  for (const auto& [errors, levels] : samples) {
    SampleFactor factor(errors);
    EXPECT_EQ(delay_pivots(factor), !levels.empty());
    EXPECT_EQ(factor.levels, levels);
    EXPECT_EQ(factor.factored, std::ssize(levels));
    EXPECT_EQ(factor.allocations, 0);
  }
}

TEST(RepeatedFactor, StaysIfMemoryIsShort) {
  for (const bool loses_memory : {false, true}) {
    SampleFactor factor({1e-3, 1e-3});
    factor.fails = true;
    factor.loses_memory = loses_memory;
    EXPECT_FALSE(delay_pivots(factor));
    EXPECT_EQ(factor.levels, std::vector<Index>{1});
    EXPECT_EQ(factor.allocations, loses_memory ? 1 : 0);
    EXPECT_EQ(factor.factored, loses_memory ? 1 : 0) << "a lost factor is computed again";
  }
}

}  // namespace
}  // namespace espalier::internal
