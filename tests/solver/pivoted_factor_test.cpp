// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "report/factor_report.hpp"
#include "solver/sample_solver.hpp"
#include "support/expect.hpp"
#include "support/inertia.hpp"
#include "support/matrices.hpp"
#include "support/tolerance.hpp"

/// Factorizations A = L J Lᵀ that choose their pivots.
namespace espalier::internal {
namespace {

using support::analysis_of;
using support::to_matrix;
using support::with;

FactorOptions pivoting(Granularity granularity = Granularity::automatic) {
  FactorOptions options = with(granularity);
  options.factorization = Factorization::ldlt;
  return options;
}

/// Compares the inertia with that of a dense factorization if it is exact.
void expect_right_inertia(const Factor& factor, const SparseMatrix& a) {
  const Inertia inertia = factor.inertia();
  EXPECT_EQ(inertia.positive + inertia.negative + inertia.zero, a.pattern.n);
  if (inertia.status == Inertia::Status::uncertain) return;
  EXPECT_EQ((support::Inertia{inertia.positive, inertia.negative, inertia.zero}),
            support::inertia_of(a));
}

class PivotedFactor : public testing::TestWithParam<Granularity> {
 protected:
  Runtime runtime_{RuntimeOptions{2, "prio"}};
};

TEST_P(PivotedFactor, SolvesIndefiniteSystems) {
  Index exact = 0;
  Index all = 0;
  for (const auto& problem : support::small_matrices()) {
    for (const Index zeros : {0, 5}) {
      SCOPED_TRACE(problem.name + ", zeros " + std::to_string(zeros));
      const SparseMatrix a = support::indefinite(problem.matrix, zeros, 1);
      const Matrix matrix = to_matrix(a);
      Factor factor(runtime_, analysis_of(matrix), pivoting(GetParam()));
      ASSERT_TRUE(factor.factorize(matrix).ok());
      expect_right_inertia(factor, a);
      if (factor.inertia().status == Inertia::Status::uncertain) continue;
      ++exact;
      const std::vector<double> b =
          support::random_vector(static_cast<std::size_t>(matrix.size()), 2);
      EXPECT_LE(factor.solve(b, 1, support::refined()).backward_error, 1e-12);
    }
    all += 2;
  }
  EXPECT_GE(exact, all / 2);
}

TEST_P(PivotedFactor, EqualsCholeskyOfPositiveDefiniteMatrices) {
  for (const auto& problem : support::small_matrices()) {
    SCOPED_TRACE(problem.name);
    const Matrix matrix = to_matrix(problem.matrix);
    Factor factor(runtime_, analysis_of(matrix), pivoting(GetParam()));
    ASSERT_TRUE(factor.factorize(matrix).ok());
    support::expect_solves(factor, matrix);
    EXPECT_EQ(factor.inertia().positive, matrix.size());
    Factor cholesky(runtime_, analysis_of(matrix), with(GetParam()));
    ASSERT_TRUE(cholesky.factorize(matrix).ok());
    EXPECT_NEAR(factor.log_determinant(), cholesky.log_determinant(),
                1e-10 * (1 + std::abs(cholesky.log_determinant())));
    EXPECT_GT(factor.determinant().mantissa, 0);
  }
}

TEST_P(PivotedFactor, HasTheInertiaOfSaddlePoints) {
  for (const char* const name : {"stokes2d:6", "mixed2d:8", "helmholtz3d:5"}) {
    SCOPED_TRACE(name);
    const Matrix matrix = Matrix::load(name);
    const SparseMatrix a = support::to_sparse(matrix);
    Factor factor(runtime_, analysis_of(matrix), pivoting(GetParam()));
    ASSERT_TRUE(factor.factorize(matrix).ok());
    EXPECT_EQ(factor.inertia().status, Inertia::Status::exact);
    expect_right_inertia(factor, a);
    support::expect_solves(factor, matrix);
  }
}

INSTANTIATE_TEST_SUITE_P(Granularities, PivotedFactor,
                         testing::ValuesIn(support::all_granularities),
                         [](const auto& info) { return name_of(info.param); });

class OnePivotedFactor : public testing::Test {
 protected:
  /// Makes a factor of a dense lower triangle.
  Factor factor_of(const Matrix& matrix) { return {runtime_, Analysis(matrix), pivoting()}; }
  static Matrix dense(std::initializer_list<std::initializer_list<double>> columns) {
    std::vector<Count> begin{0};
    std::vector<Index> row;
    std::vector<double> value;
    const auto n = static_cast<Index>(columns.size());
    for (const auto& column : columns) {
      Index i = n - static_cast<Index>(column.size());
      for (const double entry : column) {
        row.push_back(i++);
        value.push_back(entry);
      }
      begin.push_back(std::ssize(row));
    }
    return {begin, row, value};
  }

  Runtime runtime_{RuntimeOptions{1, "prio"}};
};

TEST_F(OnePivotedFactor, OfAZeroDiagonal) {
  const Matrix matrix = dense({{0, 1}, {0}});
  Factor factor = factor_of(matrix);
  ASSERT_TRUE(factor.factorize(matrix).ok());
  const Inertia inertia = factor.inertia();
  EXPECT_EQ(inertia.positive, 1);
  EXPECT_EQ(inertia.negative, 1);
  EXPECT_EQ(inertia.status, Inertia::Status::exact);
  EXPECT_NEAR(factor.determinant().value(), -1, 1e-15);
  const std::vector<double> x = factor.solve(std::vector<double>{2, 3}).x;
  EXPECT_NEAR(x[0], 3, 1e-14);
  EXPECT_NEAR(x[1], 2, 1e-14);
}

struct SingularMatrix {
  Matrix matrix;
  Index zero;
};

TEST_F(OnePivotedFactor, NamesThePivotsThatAreZero) {
  const SingularMatrix samples[] = {{dense({{1, 1}, {1}}), 1},
                                    {dense({{0, 0}, {0}}), 2},
                                    {dense({{1, 2, 3}, {4, 6}, {9}}), 2},
                                    {dense({{1, 1e9, 1}, {1e18, 1e9}, {1}}), 2},
                                    {dense({{0, 1, 1}, {0, 0}, {0}}), 1},
                                    {dense({{1e-200, 2e-200}, {4e-200}}), 1}};
  for (const auto& [matrix, zero] : samples) {
    Factor factor = factor_of(matrix);
    ASSERT_TRUE(factor.factorize(matrix).ok());
    const Inertia inertia = factor.inertia();
    EXPECT_EQ(inertia.status, Inertia::Status::uncertain);
    EXPECT_EQ(inertia.zero, zero);
    EXPECT_EQ(inertia.positive + inertia.negative, matrix.size() - zero);
    EXPECT_EQ(factor.pivot_counts().zero, zero);
    const std::vector<Index> replaced = factor.replaced_pivots();
    ASSERT_EQ(replaced.size(), static_cast<std::size_t>(zero));
    EXPECT_EQ(factor.singular_column(), replaced.front());
    EXPECT_EQ(factor.determinant().value(), 0);
    EXPECT_EQ(factor.log_determinant(), -std::numeric_limits<double>::infinity());
    EXPECT_LE(factor.growth(), 2);
  }
}

/// Returns the backward error of a solution with b, or with A times the vector of ones if there is
/// no b.
double error_with(Factor& factor, const Matrix& matrix, std::vector<double> b = {}) {
  if (b.empty())
    b = matrix.multiply(std::vector<double>(static_cast<std::size_t>(matrix.size()), 1));
  return factor.solve(b, 1, support::refined()).backward_error;
}

TEST_F(OnePivotedFactor, SolvesSingularSystemsOnlyIfTheyHaveSolutions) {
  const Matrix matrix = dense({{1, 2, 3}, {4, 6}, {9}});
  Factor factor = factor_of(matrix);
  ASSERT_TRUE(factor.factorize(matrix).ok());
  EXPECT_LE(error_with(factor, matrix), support::good);
  EXPECT_GT(error_with(factor, matrix, {1, 1, -1}), 1e-3);
}

/// Returns the Laplacian of a path, whose null vector is (1, 1, ..., 1).
Matrix path_laplacian(Index n) {
  std::vector<Count> begin{0};
  std::vector<Index> row;
  std::vector<double> value;
  for (Index j = 0; j < n; ++j) {
    row.push_back(j);
    value.push_back(j == 0 || j + 1 == n ? 1 : 2);
    if (j + 1 < n) {
      row.push_back(j + 1);
      value.push_back(-1);
    }
    begin.push_back(std::ssize(row));
  }
  return {begin, row, value};
}

TEST_F(OnePivotedFactor, FindsNullVectorsThatAllRowsShare) {
  const Matrix matrix = path_laplacian(20000);
  Factor factor = factor_of(matrix);
  support::expect_error<UsageError>([&] { static_cast<void>(factor.singular_column()); },
                                    {"factorize()"});
  ASSERT_TRUE(factor.factorize(matrix).ok());
  EXPECT_GE(factor.singular_column(), 0);
  std::vector<double> value(matrix.values().begin(), matrix.values().end());
  value.front() = 2;
  ASSERT_TRUE(factor.factorize(matrix.with_values(value)).ok());
  EXPECT_EQ(factor.singular_column(), -1);
  factor.set_signs(std::vector<signed char>(20000, 1));
  ASSERT_TRUE(factor.factorize(matrix.with_values(value)).ok());
  EXPECT_EQ(factor.singular_column(), -1);
}

TEST_F(OnePivotedFactor, KeepsSmallPivotsOfMatricesThatAreAlmostSingular) {
  for (const double size : {1e-9, 1e-12, -1e-9}) {
    const Matrix matrix = dense({{1, 1}, {1 + size}});
    Factor factor = factor_of(matrix);
    ASSERT_TRUE(factor.factorize(matrix).ok());
    EXPECT_TRUE(factor.replaced_pivots().empty());
    EXPECT_EQ(factor.singular_column(), -1);
    EXPECT_EQ(factor.inertia().negative, size < 0 ? 1 : 0);
    EXPECT_EQ(factor.inertia().status, Inertia::Status::exact);
    EXPECT_LE(error_with(factor, matrix), support::good);
  }
}

/// The vector (1, -1), for which this block is almost singular, is orthogonal to that of ones.
TEST_F(OnePivotedFactor, DoesNotTrustAnAlmostSingularBlock) {
  for (const double beside : {1.0, -1.0}) {
    constexpr Index n = 60;
    std::vector<support::Entry> entries;
    for (Index i = 0; i < n; ++i) entries.push_back({i, i, i == 31 ? 1 + 3e-14 : 1.0});
    entries.push_back({31, 30, beside});
    const Matrix matrix = to_matrix(support::from_entries(n, entries));
    Factor factor = factor_of(matrix);
    ASSERT_TRUE(factor.factorize(matrix).ok());
    EXPECT_EQ(factor.inertia().status, Inertia::Status::uncertain) << beside;
  }
}

/// An almost singular block that is far from the last one of the tree, beside an entry that hides
/// its residual from the norm of A.
TEST_F(OnePivotedFactor, DelaysSmallPivotsUntilNoneIsReplaced) {
  constexpr Index n = 400;
  std::vector<Count> begin{0};
  std::vector<Index> row;
  std::vector<double> value;
  for (Index j = 0; j < n; ++j) {
    for (const Index i : {j, j + 1}) {
      if (i == n) continue;
      row.push_back(i);
      value.push_back(i == j ? 4 : -1);
    }
    begin.push_back(std::ssize(row));
  }
  value[0] = 1;
  value[1] = 1;
  value[2] = 1 + 1e-9;
  value[3] = 1e-12;
  value.back() = 1e12;
  const Matrix matrix(begin, row, value);
  AnalysisOptions one_by_one;
  one_by_one.amalgamation = AmalgamationOptions{.zeros = {0, 0, 0, 0}};
  Factor factor(runtime_, Analysis(matrix, one_by_one), pivoting());
  ASSERT_TRUE(factor.factorize(matrix).ok());
  EXPECT_TRUE(factor.replaced_pivots().empty());
  EXPECT_EQ(factor.inertia().positive, n);
  std::vector<double> b(n);
  b[0] = 1;
  const std::vector<double> x = factor.solve(b).x;
  EXPECT_NEAR(x[1] * 1e-9, -1, 1e-3);
}

TEST_F(OnePivotedFactor, OfGradedMatricesKeepsItsDigits) {
  for (const double size : {1e-150, 1.0, 1e150}) {
    const Matrix matrix = dense({{0, size, 2}, {0, 3}, {1 / size}});
    Factor factor = factor_of(matrix);
    ASSERT_TRUE(factor.factorize(matrix).ok());
    EXPECT_LE(factor.solve(std::vector<double>{1, 1, 1}).backward_error, support::good) << size;
  }
}

TEST_F(OnePivotedFactor, RefusesValuesThatAreNotFinite) {
  const Matrix good = dense({{0, 1}, {0}});
  Factor factor = factor_of(good);
  const Matrix bad = good.with_values(std::vector<double>{0, std::nan(""), 0});
  support::expect_error<InputError>([&] { factor.factorize(bad); }, {"finite"});
  ASSERT_TRUE(factor.factorize(good).ok());
}

TEST_F(OnePivotedFactor, RefusesARegularizationWithoutSigns) {
  const Matrix matrix = dense({{0, 1}, {0}});
  FactorOptions options = pivoting();
  options.regularization = {1e-8, 0, 0, 0};
  Factor factor(runtime_, Analysis(matrix), options);
  support::expect_error<UsageError>([&] { factor.factorize(matrix); }, {"needs the signs"});
  factor.set_signs(std::vector<signed char>{1, -1});
  EXPECT_TRUE(factor.factorize(dense({{1, 1}, {-1}})).ok());
}

TEST_F(OnePivotedFactor, HasNoTriangle) {
  const Matrix matrix = dense({{0, 1}, {0}});
  Factor factor = factor_of(matrix);
  ASSERT_TRUE(factor.factorize(matrix).ok());
  support::expect_error<UsageError>([&] { static_cast<void>(factor.lower()); }, {"triangle"});
  support::expect_error<UsageError>([&] { static_cast<void>(factor.diagonal()); }, {"triangle"});
  std::vector<double> x{1, 2};
  support::expect_error<UsageError>([&] { factor.solve_part(System::l, x, x); }, {"triangle"});
}

TEST_F(OnePivotedFactor, TakesSignsAfterwards) {
  const Matrix matrix = dense({{1, 1}, {-1}});
  Factor factor = factor_of(matrix);
  ASSERT_TRUE(factor.factorize(matrix).ok());
  const double determinant = factor.determinant().value();
  factor.set_signs(std::vector<signed char>{1, -1});
  ASSERT_TRUE(factor.factorize(matrix).ok());
  EXPECT_NEAR(factor.determinant().value(), determinant, 1e-14);
  EXPECT_LE(factor.solve(std::vector<double>{1, 2}).backward_error, support::good);
}

/// Large enough for tasks of all kinds and for panels of several hundred columns.
TEST(LargePivotedFactor, HasTheSameBitsForEachNumberOfWorkers) {
  const Matrix matrix = Matrix::load("helmholtz3d:16");
  support::expect_same_bits_with_any_workers(matrix, pivoting(), [](Factor&) {});
}

}  // namespace
}  // namespace espalier::internal
