// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "matrix/generators.hpp"
#include "solver/sample_solver.hpp"
#include "support/expect.hpp"

/// If a matrix is not positive definite, the result names the column. No task hangs, and the factor
/// can be used again.
namespace espalier::internal {
namespace {

using support::analysis_of;
using support::expect_solves;
using support::to_matrix;
using support::with;

class NotPositiveDefinite : public testing::TestWithParam<std::tuple<std::string, Index>> {
 protected:
  Runtime runtime_{RuntimeOptions{std::get<1>(GetParam()), std::get<0>(GetParam())}};
};

TEST_P(NotPositiveDefinite, NamesTheColumnAndWorksAgainAfterwards) {
  const SparseMatrix good = generate_matrix("laplace2d:10");
  const Matrix matrix = to_matrix(good);
  const bool thorough = std::get<0>(GetParam()) == "prio";
  for (const std::string& ordering : support::ordering_names()) {
    if (!thorough && ordering != "metis") continue;
    const Analysis analysis = analysis_of(matrix, ordering);
    for (const Granularity granularity : support::all_granularities) {
      SCOPED_TRACE(ordering + ", granularity " + std::to_string(static_cast<int>(granularity)));
      Factor factor(runtime_, analysis, with(granularity));
      for (const Index column : {0, 57, 99}) {
        const Matrix bad = to_matrix(support::with_bad_column(good, column));
        const FactorStatus status = factor.factorize(bad);
        EXPECT_FALSE(status.ok());
        EXPECT_EQ(status.bad_column, column);
        const std::vector<double> b(100, 1.0);
        support::expect_error<UsageError>([&] { factor.solve(b); }, {"factorize()"});
        EXPECT_TRUE(factor.factorize(matrix).ok());
        expect_solves(factor, matrix);
      }
      if (HasFailure()) return;
    }
  }
}

TEST_P(NotPositiveDefinite, IsToldByWaitWhenASolveWasSubmittedToo) {
  const SparseMatrix good = generate_matrix("laplace2d:10");
  const Analysis analysis = analysis_of(to_matrix(good));
  for (const Granularity granularity : support::all_granularities) {
    Factor factor(runtime_, analysis, with(granularity));
    const std::vector<double> b(100, 1.0);
    std::vector<double> x(100);
    factor.submit_factorize(to_matrix(support::with_bad_column(good, 31)));
    factor.submit_solve(b, x);
    EXPECT_EQ(factor.wait().bad_column, 31);
    support::expect_error<UsageError>([&] { factor.submit_solve(b, x); }, {"factorize()"});
    factor.submit_factorize(to_matrix(good));
    factor.submit_solve(b, x);
    EXPECT_TRUE(factor.wait().ok());
    for (const double value : to_matrix(good).multiply(x)) EXPECT_NEAR(value, 1, 1e-10);
  }
}

TEST_P(NotPositiveDefinite, IsToldByWaitAfterAnotherFactorizationWasSubmitted) {
  const SparseMatrix good = generate_matrix("laplace2d:10");
  Factor factor(runtime_, analysis_of(to_matrix(good)), with(Granularity::panel));
  factor.submit_factorize(to_matrix(good));
  factor.submit_factorize(to_matrix(support::with_bad_column(good, 31)));
  factor.submit_factorize(to_matrix(good));
  const FactorStatus status = factor.wait();
  EXPECT_EQ(status.bad_column, 31);
  EXPECT_EQ(status.position, 1);
  EXPECT_TRUE(factor.wait().ok());
  expect_solves(factor, to_matrix(good));
}

/// The solve is large enough for tasks. A skipped task marks its data, and the next solve must not
/// find the mark.
TEST(NotPositiveDefiniteAndLarge, IsForgottenByTheSolveOfTheNextFactorization) {
  const Runtime runtime(RuntimeOptions{2, "prio"});
  const Matrix good = Matrix::load("laplace3d:18");
  std::vector<double> values(good.values().begin(), good.values().end());
  for (double& value : values) value = -value;
  Factor factor(runtime, analysis_of(good));
  const std::vector<double> b(good.size(), 1.0);
  std::vector<double> x(good.size());
  factor.submit_factorize(good.with_values(values));
  factor.submit_solve(b, x);
  EXPECT_FALSE(factor.wait().ok());
  factor.submit_factorize(good);
  factor.submit_solve(b, x);
  EXPECT_TRUE(factor.wait().ok());
  for (const double value : good.multiply(x)) ASSERT_NEAR(value, 1, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Policies, NotPositiveDefinite,
                         testing::Values(std::tuple("prio", 1), std::tuple("prio", 2),
                                         std::tuple("prio", 3), std::tuple("lws", 2),
                                         std::tuple("dmdas", 2), std::tuple("random", 2)),
                         [](const auto& info) {
                           return std::get<0>(info.param) + std::to_string(std::get<1>(info.param));
                         });

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Expects that all kernels detect a number that is not finite at any place. The matrices have
/// narrow supernodes, and one supernode that is wide enough for the BLAS.
class NotFinite : public testing::TestWithParam<DenseKernels::Source> {
 protected:
  void expect_found(const SparseMatrix& good, Count stride) {
    const Matrix matrix = to_matrix(good);
    const Analysis analysis = analysis_of(matrix);
    for (const Granularity granularity : support::all_granularities) {
      FactorOptions options = with(granularity);
      options.kernels.from = GetParam();
      Factor factor(runtime_, analysis, options);
      for (Count k = 0; k < matrix.entries() && !HasFailure(); k += stride) {
        const double bad = std::array{std::nan(""), infinity, -infinity}[k % 3];
        SCOPED_TRACE("entry " + std::to_string(k) + ", " + std::to_string(bad));
        expect_found(factor, good, k, bad);
      }
      ASSERT_TRUE(factor.factorize(matrix).ok());
      expect_solves(factor, matrix);
    }
  }

 private:
  static void expect_found(Factor& factor, const SparseMatrix& good, Count k, double bad) {
    std::vector<double> value = good.value;
    value[k] = bad;
    const std::string row = "row " + std::to_string(good.pattern.row[k]) + ",";
    const Matrix given = to_matrix(good).borrow_values(value);
    support::expect_error<InputError>([&] { factor.factorize(given); }, {row, "not finite"});
    const std::vector<double> b(good.pattern.n, 1.0);
    support::expect_error<UsageError>([&] { factor.solve(b); }, {"factorize()"});
    factor.submit_factorize(given);
    support::expect_error<InputError>([&] { factor.wait(); }, {row, "not finite"});
  }

  Runtime runtime_{RuntimeOptions{2, "prio"}};
};

TEST_P(NotFinite, ValuesAreFoundInNarrowFronts) {
  expect_found(generate_matrix("laplace2d:10"), 1);
}

TEST_P(NotFinite, ValuesAreFoundInAWideFront) {
  expect_found(support::dense_random(300, 5), 14221);
}

INSTANTIATE_TEST_SUITE_P(Kernels, NotFinite,
                         testing::Values(DenseKernels::Source::automatic, DenseKernels::Source::own,
                                         DenseKernels::Source::blas, DenseKernels::Source::mixed));

FactorStatus status_of(const SparseMatrix& a, const std::string& ordering) {
  const Runtime runtime(RuntimeOptions{2, "prio"});
  const Matrix matrix = to_matrix(a);
  Factor factor(runtime, analysis_of(matrix, ordering), with(Granularity::panel));
  return factor.factorize(matrix);
}

TEST(Indefinite, ByAnOffDiagonalEntryFailsAtOneOfItsTwoColumns) {
  SparseMatrix a = support::tridiagonal(60);
  a.value[a.pattern.column_begin[41] + 1] = -10;
  for (const std::string& ordering : support::ordering_names()) {
    const Index column = status_of(a, ordering).bad_column;
    EXPECT_TRUE(column == 41 || column == 42) << ordering << ": " << column;
  }
}

TEST(Indefinite, ByAZeroOnTheDiagonalFailsThere) {
  for (const Index column : {0, 11, 24}) {
    for (const std::string& ordering : support::ordering_names()) {
      EXPECT_EQ(status_of(support::bad_pivot(25, column), ordering).bad_column, column);
    }
  }
}

TEST(Indefinite, ByAWholeNegativeDiagonalFailsAtItsFirstColumn) {
  SparseMatrix a = support::tridiagonal(30);
  for (Index j = 7; j < 30; ++j) a.value[a.pattern.column_begin[j]] = -2;
  for (const std::string& ordering : support::ordering_names()) {
    EXPECT_EQ(status_of(a, ordering).bad_column, 7) << ordering;
  }
}

/// The Laplacian of a path: every pivot is 1 except the last, which is 0, all exactly.
TEST(Singular, MatrixFailsAtItsLastColumn) {
  SparseMatrix a = support::tridiagonal(40);
  a.value[a.pattern.column_begin[0]] = 1;
  a.value[a.pattern.column_begin[39]] = 1;
  EXPECT_EQ(status_of(a, "natural").bad_column, 39);
}

/// A pivot that cancels to a few units of rounding fails like a zero pivot.
TEST(Singular, MatrixToWorkingPrecisionFails) {
  EXPECT_FALSE(status_of(support::hilbert(30), "natural").ok());
}

TEST(Tiny, ScaleIsNoReasonToFail) {
  SparseMatrix a = support::tridiagonal(40);
  for (double& value : a.value) value *= 1e-290;
  EXPECT_TRUE(status_of(a, "amd").ok());
}

TEST(OneByOne, IsJudgedByItsSign) {
  SparseMatrix a = support::identity(1);
  EXPECT_TRUE(status_of(a, "auto").ok());
  a.value[0] = 0;
  EXPECT_EQ(status_of(a, "auto").bad_column, 0);
  a.value[0] = -3;
  EXPECT_EQ(status_of(a, "auto").bad_column, 0);
}

}  // namespace
}  // namespace espalier::internal
