// SPDX-License-Identifier: BSD-3-Clause
#include "solver/delayed_pivots.hpp"

#include <fmt/format.h>
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

/// A grid of order k has the eigenvalue 4 with multiplicity k - 2, and (k^2 + k) / 2 eigenvalues up
/// to it. Many blocks of the shifted grid are then almost singular. Columns that cannot have pivots
/// there must move until they meet in one block.
TEST(DelayedPivotsOfGrids, GiveTheInertiaNearMultipleEigenvalues) {
  const Runtime runtime(RuntimeOptions{2, "prio"});
  for (const Index order : {20, 50}) {
    const Matrix grid = Matrix::load(fmt::format("laplace2d:{}", order));
    const Analysis analysis(grid);
    for (const double distance : {1e-9, -1e-9, 1e-10}) {
      SCOPED_TRACE(fmt::format("order {}, distance {}", order, distance));
      const Matrix shifted = grid.shifted(4 + distance);
      Factor factor(runtime, analysis, pivoting());
      ASSERT_TRUE(factor.factorize(shifted).ok());
      support::expect_solves(factor, shifted);
      const Inertia inertia = factor.inertia();
      const Index up_to_4 = (order * order + order) / 2;
      EXPECT_EQ(inertia.negative, distance > 0 ? up_to_4 : up_to_4 - (order - 2));
      EXPECT_EQ(inertia.positive, order * order - inertia.negative);
      EXPECT_EQ(factor.report().factor.perturbed, 0);
      EXPECT_LT(factor.growth(), 1e4);
    }
  }
}

/// A factor with a given failure after each factorization. The last one repeats.
class SampleFactor final : public RepeatableFactor {
 public:
  explicit SampleFactor(std::vector<PivotFailure> found, double error = 1e-3)
      : found_(std::move(found)), error_(error) {}

  bool chooses_pivots() const override { return true; }
  PivotFailure find_failed_columns() override {
    return found_[std::min(factored.size(), found_.size() - 1)];
  }
  double probed_error() override { return error_; }
  bool move_failed_columns(Index by) override {
    if (std::ssize(levels) == most_moves) return false;
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
  void factorize_again(bool leaves_out) override { factored.push_back(leaves_out); }

  bool fails = false;
  bool loses_memory = false;
  Index most_moves = 100;
  std::vector<Index> levels;
  std::vector<bool> factored;  ///< for each factorization, whether it left out columns
  Index allocations = 0;

 private:
  std::vector<PivotFailure> found_;
  double error_;
  bool allocated_ = true;
};

constexpr auto none = PivotFailure::none;
constexpr auto weak = PivotFailure::weak;
constexpr auto replaced = PivotFailure::replaced;

TEST(RepeatedFactor, MovesColumnsFartherUntilNoneFails) {
  const std::pair<std::vector<PivotFailure>, std::vector<Index>> samples[] = {
      {{none}, {}},
      {{weak, none}, {1}},
      {{weak, replaced, none}, {1, 4}},
      {{replaced, weak, weak, replaced, weak, none}, {1, 4, 16, 64, 256}}};
  for (const auto& [found, levels] : samples) {
    SampleFactor factor(found);
    EXPECT_EQ(delay_pivots(factor), !levels.empty());
    EXPECT_EQ(factor.levels, levels);
    EXPECT_EQ(factor.factored, std::vector<bool>(levels.size(), true));
    EXPECT_EQ(factor.allocations, 0);
  }
}

TEST(RepeatedFactor, AcceptsOnlyWeakColumnsIfASolutionIsAccurate) {
  SampleFactor accurate({weak, none}, 1e-13);
  EXPECT_FALSE(delay_pivots(accurate));
  EXPECT_TRUE(accurate.levels.empty());
  SampleFactor lucky({replaced, replaced, weak}, 1e-13);
  EXPECT_TRUE(delay_pivots(lucky));
  EXPECT_EQ(lucky.levels, (std::vector<Index>{1, 4}));
  EXPECT_EQ(lucky.factored, std::vector<bool>(2, true)) << "no column was left out";
}

TEST(RepeatedFactor, LeavesOutNoColumnIfSomeStillFailInTheEnd) {
  SampleFactor ends({weak, replaced});
  ends.most_moves = 2;
  EXPECT_TRUE(delay_pivots(ends));
  EXPECT_EQ(ends.factored, (std::vector<bool>{true, true, false}));
  SampleFactor endless({replaced});
  EXPECT_TRUE(delay_pivots(endless));
  EXPECT_LE(endless.levels.size(), 10U);
  EXPECT_FALSE(endless.factored.back());
  SampleFactor stays({replaced});
  stays.most_moves = 0;
  EXPECT_FALSE(delay_pivots(stays));
  EXPECT_TRUE(stays.factored.empty());
}

TEST(RepeatedFactor, StaysIfMemoryIsShort) {
  for (const bool loses_memory : {false, true}) {
    SampleFactor factor({weak});
    factor.fails = true;
    factor.loses_memory = loses_memory;
    EXPECT_EQ(delay_pivots(factor), loses_memory);
    EXPECT_EQ(factor.levels, std::vector<Index>{1});
    EXPECT_EQ(factor.allocations, loses_memory ? 1 : 0);
    const std::vector<bool> again(loses_memory ? 1 : 0, false);
    EXPECT_EQ(factor.factored, again) << "a lost factor is computed again";
  }
}

}  // namespace
}  // namespace espalier::internal
