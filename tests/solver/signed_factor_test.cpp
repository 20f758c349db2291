// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "report/factor_report.hpp"
#include "solver/sample_solver.hpp"
#include "support/dense_cholesky.hpp"
#include "support/expect.hpp"
#include "support/matrices.hpp"
#include "support/tolerance.hpp"

/// Factorizations A = L J Lᵀ with given signs.
namespace espalier::internal {
namespace {

using support::analysis_of;
using support::expect_error;
using support::to_matrix;
using support::with;
using Signs = std::vector<signed char>;

FactorOptions signed_options(Granularity granularity = Granularity::automatic) {
  FactorOptions options = with(granularity);
  options.factorization = Factorization::ldlt;
  return options;
}

Signs random_signs(Index n, unsigned seed) {
  std::mt19937 random(seed);
  Signs signs(n);
  for (signed char& sign : signs) sign = random() % 2 == 0 ? 1 : -1;
  return signs;
}

/// Makes a quasi-definite matrix from a positive definite one: the block of the negative signs is
/// negated, and the blocks between both signs stay.
SparseMatrix quasi_definite(SparseMatrix a, const Signs& signs) {
  for (Index j = 0; j < a.pattern.n; ++j) {
    for (Count k = a.pattern.column_begin[j]; k < a.pattern.column_begin[j + 1]; ++k) {
      if (signs[j] < 0 && signs[a.pattern.row[k]] < 0) a.value[k] = -a.value[k];
    }
  }
  return a;
}

/// A quasi-definite matrix with its factor.
struct SignedSample {
  SignedSample(const Runtime& runtime, const SparseMatrix& positive, Granularity granularity,
               unsigned seed = 1)
      : signs(random_signs(positive.pattern.n, seed)),
        a(quasi_definite(positive, signs)),
        matrix(to_matrix(a)),
        factor(runtime, analysis_of(matrix), signed_options(granularity)) {
    factor.set_signs(signs);
  }

  Index n() const { return a.pattern.n; }
  double sign(Index k) const { return signs[factor.permutation()[k]]; }
  /// Returns L as a dense matrix.
  support::DenseMatrix l() const {
    const LowerFactor given = factor.lower();
    support::DenseMatrix l(n());
    for (Index j = 0; j < n(); ++j) {
      for (Count k = given.column_begin[j]; k < given.column_begin[j + 1]; ++k) {
        l(given.row[k], j) = given.value[k];
      }
    }
    return l;
  }
  /// Returns P A Pᵀ.
  support::DenseMatrix permuted() const {
    const auto old_of = factor.permutation();
    return support::permuted(a, Permutation::from_old_of({old_of.begin(), old_of.end()}));
  }

  Signs signs;
  SparseMatrix a;
  Matrix matrix;
  Factor factor;
};

class SignedFactor : public testing::TestWithParam<Granularity> {
 protected:
  template <class Check>
  void for_each_sample(Check check) {
    for (const auto& problem : support::small_matrices()) {
      SCOPED_TRACE(problem.name);
      SignedSample sample(runtime_, problem.matrix, GetParam());
      ASSERT_TRUE(sample.factor.factorize(sample.matrix).ok());
      check(sample);
      if (HasFailure()) return;
    }
  }

  Runtime runtime_{RuntimeOptions{2, "prio"}};
};

TEST_P(SignedFactor, MultipliesToTheMatrix) {
  for_each_sample([](SignedSample& sample) {
    const support::DenseMatrix l = sample.l();
    const support::DenseMatrix a = sample.permuted();
    for (Index j = 0; j < sample.n(); ++j) {
      ASSERT_GT(l(j, j), 0);
      for (Index i = j; i < sample.n(); ++i) {
        double sum = 0;
        double magnitude = std::abs(a(i, j));
        for (Index k = 0; k <= j; ++k) {
          sum += l(i, k) * sample.sign(k) * l(j, k);
          magnitude += std::abs(l(i, k) * l(j, k));
        }
        ASSERT_NEAR(sum, a(i, j), support::tolerance(sample.n()) * magnitude) << i << ", " << j;
      }
    }
  });
}

TEST_P(SignedFactor, Solves) {
  for_each_sample([](SignedSample& sample) {
    support::expect_solves(sample.factor, sample.matrix);
    for (const Index count : {3, 65}) {
      const auto entries = static_cast<std::size_t>(sample.n()) * count;
      const std::vector<double> b = support::random_vector(entries, 3);
      EXPECT_LE(sample.factor.solve(b, count).backward_error, support::good) << count;
    }
  });
}

/// L x = b, then x := J x, then Lᵀ x = b.
TEST_P(SignedFactor, SolvesByParts) {
  for_each_sample([](SignedSample& sample) {
    const auto n = static_cast<std::size_t>(sample.n());
    const std::vector<double> b = support::random_vector(n, 4);
    std::vector<double> whole(n);
    sample.factor.solve_part(System::a, b, whole);
    std::vector<double> x = b;
    sample.factor.solve_part(System::p, x, x);
    sample.factor.solve_part(System::l, x, x);
    for (std::size_t k = 0; k < n; ++k) x[k] *= sample.sign(static_cast<Index>(k));
    sample.factor.solve_part(System::lt, x, x);
    sample.factor.solve_part(System::pt, x, x);
    EXPECT_TRUE(support::close(x, whole, sample.n(), 1e3));
  });
}

TEST_P(SignedFactor, HasTheInertiaOfItsSigns) {
  for_each_sample([](SignedSample& sample) {
    const auto negative = static_cast<Index>(std::ranges::count(sample.signs, -1));
    const Inertia inertia = sample.factor.inertia();
    EXPECT_EQ(inertia.positive, sample.n() - negative);
    EXPECT_EQ(inertia.negative, negative);
    EXPECT_EQ(inertia.zero, 0);
    EXPECT_EQ(inertia.status, Inertia::Status::exact);
    const Inertia counts = sample.factor.pivot_counts();
    EXPECT_EQ(counts.positive, inertia.positive);
    EXPECT_EQ(counts.negative, negative);
    EXPECT_EQ(counts.status, Inertia::Status::uncertain);
    EXPECT_GE(sample.factor.growth(), 0.25);
    EXPECT_LT(sample.factor.growth(), 100);
    const Determinant determinant = sample.factor.determinant();
    EXPECT_EQ(determinant.mantissa < 0, negative % 2 == 1);
    EXPECT_NEAR(sample.factor.log_determinant(), std::log(std::abs(determinant.value())), 1e-10);
  });
}

INSTANTIATE_TEST_SUITE_P(Granularities, SignedFactor, testing::ValuesIn(support::all_granularities),
                         [](const auto& info) { return name_of(info.param); });

/// Large enough for tasks of all kinds and for panels of several hundred columns.
TEST(LargeSignedFactor, HasTheSameBitsForEachNumberOfWorkers) {
  const Matrix positive = Matrix::load("laplace3d:17");
  const Signs signs = random_signs(positive.size(), 5);
  std::vector<double> value(positive.values().begin(), positive.values().end());
  for (Index j = 0; j < positive.size(); ++j) {
    for (Count k = positive.column_begin()[j]; k < positive.column_begin()[j + 1]; ++k) {
      if (signs[j] < 0 && signs[positive.rows()[k]] < 0) value[k] = -value[k];
    }
  }
  const Matrix matrix = positive.with_values(value);
  support::expect_same_bits_with_any_workers(matrix, signed_options(),
                                             [&](Factor& factor) { factor.set_signs(signs); });
}

/// Properties that do not depend on the size.
class SmallSignedFactor : public testing::Test {
 protected:
  Runtime runtime_{RuntimeOptions{2, "prio"}};
};

TEST_F(SmallSignedFactor, OfAPositiveMatrixIsCholesky) {
  const Matrix matrix = to_matrix(support::random_dominant(60, 3, 2));
  Factor factor(runtime_, analysis_of(matrix), signed_options());
  factor.set_signs(Signs(60, 1));
  ASSERT_TRUE(factor.factorize(matrix).ok());
  Factor cholesky(runtime_, analysis_of(matrix));
  ASSERT_TRUE(cholesky.factorize(matrix).ok());
  EXPECT_TRUE(support::close(factor.lower().value, cholesky.lower().value, 60, 10));
  EXPECT_EQ(cholesky.inertia().positive, 60);
  EXPECT_EQ(cholesky.pivot_counts().positive, 60);
  EXPECT_EQ(cholesky.inertia().status, Inertia::Status::exact);
  EXPECT_NEAR(cholesky.growth(), 1, 1e-12);
}

TEST_F(SmallSignedFactor, NamesTheColumnOfAWrongSign) {
  for (const Index n : {1, 5, 40}) {
    for (const Index wrong : {Index{0}, n / 2, n - 1}) {
      SignedSample sample(runtime_, support::identity(n), Granularity::automatic);
      sample.signs[wrong] = static_cast<signed char>(-sample.signs[wrong]);
      sample.factor.set_signs(sample.signs);
      EXPECT_EQ(sample.factor.factorize(sample.matrix).bad_column, wrong) << n;
      EXPECT_EQ(sample.factor.report().status, "wrong_pivot_sign");
      const std::vector<double> b(n, 1.0);
      expect_error<UsageError>([&] { sample.factor.solve(b); }, {"no factor"});
    }
  }
}

TEST_F(SmallSignedFactor, ReplacesPivotsIfAsked) {
  constexpr Index n = 30;
  const Matrix matrix = to_matrix(support::identity(n));
  FactorOptions options = signed_options();
  options.regularization = {0, 0, 1e-13, 0.5};
  Factor factor(runtime_, analysis_of(matrix), options);
  Signs signs(n, 1);
  signs[3] = signs[17] = -1;
  factor.set_signs(signs);
  ASSERT_TRUE(factor.factorize(matrix).ok());
  EXPECT_EQ(factor.replaced_pivots(), (std::vector<Index>{3, 17}));
  EXPECT_EQ(factor.inertia().status, Inertia::Status::uncertain);
  EXPECT_EQ(factor.inertia().negative, 2);
  std::vector<double> x(n);
  factor.solve_part(System::a, std::vector<double>(n, 1.0), x);
  EXPECT_DOUBLE_EQ(x[3], -2);
  EXPECT_DOUBLE_EQ(x[4], 1);
  factor.set_signs(Signs(n, 1));
  ASSERT_TRUE(factor.factorize(matrix).ok());
  EXPECT_TRUE(factor.replaced_pivots().empty());
}

/// A saddle point matrix with a zero block is regularized, and refinement removes the effect.
TEST_F(SmallSignedFactor, IsRefinedWithTheMatrixAsGiven) {
  constexpr Index n = 40;
  constexpr Index constraints = 10;
  std::vector<support::Entry> entries;
  for (Index i = 0; i < n; ++i) entries.push_back({i, i, 2.0 + i % 3});
  for (Index c = 0; c < constraints; ++c) {
    entries.push_back({n + c, n + c, 0.0});
    for (Index k = 0; k < 4; ++k) entries.push_back({n + c, 4 * c + k, 1.0 + k});
  }
  const Matrix matrix = to_matrix(support::from_entries(n + constraints, entries));
  Signs signs(n + constraints, 1);
  std::fill(signs.begin() + n, signs.end(), -1);
  FactorOptions options = signed_options();
  options.regularization = {1e-8, 4.9e-32, 1e-13, 2e-7};
  Factor factor(runtime_, analysis_of(matrix), options);
  factor.set_signs(signs);
  ASSERT_TRUE(factor.factorize(matrix).ok());
  EXPECT_EQ(factor.inertia().status, Inertia::Status::uncertain);
  const std::vector<double> b = support::random_vector(n + constraints, 7);
  EXPECT_GT(factor.solve(b, 1, SolveOptions{0}).backward_error, 1e-12);
  const Solution refined = factor.solve(b, 1, SolveOptions{10});
  EXPECT_LE(refined.backward_error, support::good);
  EXPECT_GE(refined.refinement_steps, 1);
}

TEST_F(SmallSignedFactor, ShiftsInProportionToTheDiagonal) {
  constexpr Index n = 12;
  SparseMatrix a = support::identity(n);
  a.value.back() = 8;
  const Matrix matrix = to_matrix(a);
  FactorOptions options = signed_options();
  options.regularization = {1, 0.5, 0, 0};
  Factor factor(runtime_, analysis_of(matrix), options);
  factor.set_signs(Signs(n, 1));
  ASSERT_TRUE(factor.factorize(matrix).ok());
  std::vector<double> diagonal = factor.diagonal();
  std::ranges::sort(diagonal);
  EXPECT_DOUBLE_EQ(diagonal.front(), std::sqrt(1 + 1 + 0.5 * 8));
  EXPECT_DOUBLE_EQ(diagonal.back(), std::sqrt(8 + 1 + 0.5 * 8));
}

TEST_F(SmallSignedFactor, Grows) {
  // L of [e 1; 1 -e] has entries of size 1/sqrt(e), but the matrix has entries of size 1.
  const Matrix matrix =
      to_matrix(support::from_entries(2, {{0, 0, 1e-12}, {1, 0, 1.0}, {1, 1, -1e-12}}));
  Factor factor(runtime_, analysis_of(matrix), signed_options());
  factor.set_signs(Signs{1, -1});
  ASSERT_TRUE(factor.factorize(matrix).ok());
  EXPECT_GT(factor.growth(), 1e11);
}

/// Returns B Bᵀ for an n x (n - 1) matrix B of small integers, so that the product is exact and
/// singular.
SparseMatrix singular(Index n, std::mt19937& random) {
  std::vector<std::vector<double>> b(n, std::vector<double>(n - 1));
  for (auto& row : b) {
    for (double& entry : row) entry = static_cast<double>(random() % 7) - 3;
  }
  std::vector<support::Entry> entries;
  for (Index j = 0; j < n; ++j) {
    for (Index i = j; i < n; ++i) {
      entries.push_back({i, j, std::inner_product(b[i].begin(), b[i].end(), b[j].begin(), 0.0)});
    }
  }
  return support::from_entries(n, entries);
}

TEST_F(SmallSignedFactor, IsNotExactForSingularMatrices) {
  std::mt19937 random(9);
  int factored = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const Matrix matrix = to_matrix(singular(3 + trial % 8, random));
    Factor factor(runtime_, analysis_of(matrix), signed_options());
    factor.set_signs(Signs(matrix.size(), 1));
    if (!factor.factorize(matrix).ok()) continue;
    ++factored;
    EXPECT_EQ(factor.inertia().status, Inertia::Status::uncertain) << trial;
  }
  EXPECT_GT(factored, 5);  // rounding made the last pivot positive
}

/// The smallest eigenvalue is 1e-14 of the largest, but no pivot shows it.
TEST_F(SmallSignedFactor, IsNotExactNearASingularMatrixWithoutSmallPivots) {
  constexpr Index n = 60;
  std::vector<support::Entry> entries;  // L Lᵀ with 1 on the diagonal of L and -1 below
  for (Index j = 0; j < n; ++j) {
    for (Index i = j; i < n; ++i) entries.push_back({i, j, i == j ? 1.0 + j : j - 1.0});
  }
  const Matrix matrix = to_matrix(support::from_entries(n, entries));
  Factor factor(runtime_, analysis_of(matrix, "natural"), signed_options());
  factor.set_signs(Signs(n, 1));
  ASSERT_TRUE(factor.factorize(matrix).ok());
  EXPECT_EQ(factor.inertia().status, Inertia::Status::uncertain);
}

TEST_F(SmallSignedFactor, RefusesValuesThatAreNotFinite) {
  const SparseMatrix a = support::random_dominant(50, 3, 4);
  const Matrix matrix = to_matrix(a);
  FactorOptions options = signed_options();
  options.regularization = {0, 0, 1e-13, 2e-7};
  Factor factor(runtime_, analysis_of(matrix), options);
  factor.set_signs(Signs(50, 1));
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    for (std::size_t at = 0; at < a.value.size(); ++at) {
      std::vector<double> value = a.value;
      value[at] = bad;
      expect_error<InputError>([&] { factor.factorize(matrix.with_values(value)); }, {"finite"});
    }
  }
  EXPECT_TRUE(factor.factorize(matrix).ok());
}

TEST_F(SmallSignedFactor, TakesValuesOfAnySize) {
  for (const double scale : {1e-150, 1e150}) {
    SignedSample sample(runtime_, support::random_dominant(80, 3, 6), Granularity::automatic);
    std::vector<double> value = sample.a.value;
    for (double& entry : value) entry *= scale;
    const Matrix scaled = sample.matrix.with_values(value);
    ASSERT_TRUE(sample.factor.factorize(scaled).ok());
    support::expect_solves(sample.factor, scaled);
  }
}

TEST_F(SmallSignedFactor, AcceptsAMatrixWithoutRows) {
  const Matrix matrix = to_matrix(support::identity(0));
  Factor factor(runtime_, analysis_of(matrix), signed_options());
  factor.set_signs({});
  ASSERT_TRUE(factor.factorize(matrix).ok());
  EXPECT_EQ(factor.inertia().positive, 0);
  EXPECT_EQ(factor.determinant().value(), 1);
}

TEST_F(SmallSignedFactor, RefusesWrongUse) {
  const Matrix matrix = to_matrix(support::identity(4));
  const Analysis analysis = analysis_of(matrix);
  Factor cholesky(runtime_, analysis);
  expect_error<UsageError>([&] { cholesky.set_signs(Signs(4, 1)); }, {"factorization=ldlt"});
  Factor factor(runtime_, analysis, signed_options());
  expect_error<UsageError>([&] { factor.set_signs(Signs(3, 1)); }, {"4 rows", "3 signs"});
  expect_error<UsageError>([&] { factor.set_signs(Signs{1, 1, 2, 1}); }, {"row 2", "is 2"});
  expect_error<UsageError>([&] { static_cast<void>(factor.inertia()); }, {"no factor"});
  FactorOptions options = signed_options();
  options.kernels.from = DenseKernels::Source::blas;
  expect_error<UsageError>([&] { Factor(runtime_, analysis, options); }, {"kernels"});
  options = signed_options();
  options.regularization = {0, 0, 1e-13, 0};
  expect_error<UsageError>([&] { Factor(runtime_, analysis, options); }, {"1e-13", "fourth"});
  options.regularization = {-1, 0, 0, 0};
  expect_error<UsageError>([&] { Factor(runtime_, analysis, options); }, {"regularization is -1"});
  options = with(Granularity::automatic);
  options.regularization = {1e-8, 0, 0, 0};
  expect_error<UsageError>([&] { Factor(runtime_, analysis, options); }, {"factorization=ldlt"});
}

}  // namespace
}  // namespace espalier::internal
