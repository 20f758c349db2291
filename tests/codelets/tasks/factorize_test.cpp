// SPDX-License-Identifier: BSD-3-Clause

#include "codelets/tasks/factorize.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "codelets/sample_groups.hpp"
#include "codelets/samples.hpp"
#include "matrix/generators.hpp"

namespace espalier::internal {
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
    const DiagonalTask task{{{&context_}, &lazy_}, 4};
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
  const FactorTask task{{{&context_}, &lazy_}, {2}};
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
  const FactorTask task{{{&context_}, &lower}, {0}};
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

/// Elimination leaves a positive pivot that consists only of rounding errors.
TEST_F(PanelOfTwo, ReportsAPivotThatIsRounding) {
  value_[3] = std::nextafter(1.0, 2.0);
  run_diagonal();
  EXPECT_EQ(context_.failure.column(), 5);
}

}  // namespace
namespace {

using support::DenseSample;

/// A tile below a factored block. Each of its columns is filled from a dense column of A.
class SampleTile {
 public:
  SampleTile(Index rows, Index columns)
      : rows_(rows), columns_(columns), triangle_(DenseSample::dominant_lower(columns, 4)) {
    for (Index j = 0; j < columns; ++j) {
      for (Index i = 0; i < rows; ++i) {
        context_.entries.entry.emplace_back(columns + i, std::ssize(value_));
        value_.push_back(1.0 / (1 + i + 3 * j));
      }
      context_.entries.begin.push_back(std::ssize(value_));
    }
    context_.value = value_.data();
  }

  DenseSample run(const Kernels& kernels, Index slices) {
    ++context_.epoch;
    DenseSample tile(rows_, columns_);
    support::SampleWorker sample(1);
    const MatrixView data[] = {tile.view(), triangle_.view()};
    const FactorTask task{{{&context_}, &lazy_}, {0}};
    support::run_in_slices(task, data, {kernels, sample.workspace}, slices);
    EXPECT_EQ(lazy_.epoch, context_.epoch);
    EXPECT_TRUE(tile.guards_intact());
    return tile;
  }
  /// Returns the largest difference between X Lᵀ and the entries of A.
  double residual(const DenseSample& x) const {
    double most = 0;
    for (Index j = 0; j < columns_; ++j) {
      for (Index i = 0; i < rows_; ++i) {
        double entry = -value_[i + static_cast<Count>(j) * rows_];
        for (Index k = 0; k <= j; ++k) entry += x(i, k) * triangle_(j, k);
        most = std::max(most, std::abs(entry));
      }
    }
    return most;
  }

 private:
  Index rows_;
  Index columns_;
  DenseSample triangle_;
  std::vector<double> value_;
  FactorContext context_;
  LazyTile lazy_{{0, columns_}};
};

TEST(FactorTask, SolvesForTheFilledTileInAnyNumberOfSlices) {
  for (const Index rows : {1, 7, 33, 257}) {
    for (const Index columns : {1, 9, 129}) {
      SampleTile sample(rows, columns);
      for (const Kernels* kernels : {&reference::kernels, &cpu::kernels}) {
        for (const Index slices : {1, 2, 4, 9}) {
          EXPECT_LE(sample.residual(sample.run(*kernels, slices)), 1e-13 * columns)
              << rows << " by " << columns << " in " << slices;
        }
      }
    }
  }
}

/// The task does not change the rows of the diagonal block, which are at the top of the same tile.
TEST(FactorTask, SkipsTheRowsOfTheDiagonalBlockInTheSameTile) {
  constexpr Index width = 9;
  const DenseSample triangle = DenseSample::dominant_lower(width, 4);
  for (const Index slices : {1, 3}) {
    DenseSample tile = DenseSample::random(width + 20, width, 5);
    for (Index j = 0; j < width; ++j) {
      for (Index i = 0; i < width; ++i) tile(i, j) = triangle(i, j);
    }
    DenseSample expected = tile;
    reference::kernels.trsm(triangle.view(), expected.view().row_range(width, 20), {});
    FactorContext context;
    LazyTile lazy;
    support::SampleWorker sample(1);
    const MatrixView data[] = {tile.view()};
    support::run_in_slices(FactorTask{{{&context}, &lazy}, {width}}, data, sample.worker, slices);
    EXPECT_TRUE(tile.same_bits(expected));
  }
}

}  // namespace
namespace {

using support::Groups;

class SubtreeTaskWith : public testing::TestWithParam<const Kernels*> {};

TEST_P(SubtreeTaskWith, FactorsGroupsOfSubtrees) {
  for (const char* spec : {"laplace2d:12", "laplace3d:6", "irregular2d:150"}) {
    const SparseMatrix a = generate_matrix(spec);
    for (const double share : {0.05, 0.3, 2.0}) {
      SCOPED_TRACE(std::string(spec) + ", cut at " + std::to_string(share));
      Groups groups(a, share, *GetParam());
      const support::DenseMatrix l = support::dense_cholesky(groups.dense());
      ASSERT_FALSE(groups.cut().groups.empty());
      for (const auto& group : groups.cut().groups) {
        groups.run(group);
        ASSERT_EQ(groups.failed_column(), -1);
        groups.expect_panels(group, l);
        if (HasFailure()) return;
      }
    }
  }
}

TEST_P(SubtreeTaskWith, ReportsTheColumnWhosePivotFails) {
  const SparseMatrix good = generate_matrix("laplace2d:6");
  for (const Index column : {0, 17, 35}) {
    Groups groups(support::with_bad_column(good, column), 2.0, *GetParam());
    ASSERT_EQ(groups.cut().groups.size(), 1u);
    groups.run(groups.cut().groups[0]);
    EXPECT_EQ(groups.failed_column(), groups.symbolic().permutation.new_of[column]);
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, SubtreeTaskWith,
                         testing::Values(&reference::kernels, &cpu::kernels),
                         [](const auto& info) { return info.index == 0 ? "reference" : "cpu"; });

}  // namespace
}  // namespace espalier::internal
