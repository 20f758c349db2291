// SPDX-License-Identifier: BSD-3-Clause
#include "espalier/factor_parts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <span>
#include <vector>

#include "report/factor_report.hpp"
#include "solver/sample_solver.hpp"
#include "support/dense_cholesky.hpp"
#include "support/expect.hpp"
#include "support/tolerance.hpp"

namespace espalier::internal {
namespace {

using support::analysis_of;
using support::expect_error;
using support::to_matrix;
using support::with;

constexpr System systems[] = {System::a, System::l, System::lt, System::p, System::pt};

/// A matrix with its factor and its dense factorization.
class FactoredSample {
 public:
  FactoredSample(const Runtime& runtime, const SparseMatrix& a, Granularity granularity)
      : n_(a.pattern.n),
        matrix_(to_matrix(a)),
        factor_(runtime, analysis_of(matrix_), with(granularity)),
        permuted_(support::permuted(a, Permutation::from_old_of({factor_.permutation().begin(),
                                                                 factor_.permutation().end()}))),
        l_(support::dense_cholesky(permuted_)),
        condition_(support::condition(permuted_, l_)) {
    EXPECT_TRUE(factor_.factorize(matrix_).ok());
  }

  Index n() const { return n_; }
  Factor& factor() { return factor_; }
  const support::DenseMatrix& l() const { return l_; }
  double condition() const { return condition_; }

  /// Returns the solution of a system, from the dense factorization.
  std::vector<double> expected(System system, std::span<const double> b) const {
    if (system == System::l) return support::dense_forward(l_, b);
    if (system == System::lt) return support::dense_backward(l_, b);
    std::vector<double> x(b.begin(), b.end());
    const auto old_of = factor_.permutation();
    if (system == System::pt) {
      for (Index k = 0; k < n_; ++k) x[old_of[k]] = b[k];
      return x;
    }
    for (Index k = 0; k < n_; ++k) x[k] = b[old_of[k]];
    if (system == System::p) return x;
    return expected(System::pt, support::dense_solve(l_, x));
  }

 private:
  Index n_;
  Matrix matrix_;
  Factor factor_;
  support::DenseMatrix permuted_;
  support::DenseMatrix l_;
  double condition_;
};

class FactorParts : public testing::TestWithParam<Granularity> {
 protected:
  template <class Check>
  void for_each_sample(Check check) {
    for (const auto& problem : support::small_matrices()) {
      SCOPED_TRACE(problem.name);
      FactoredSample sample(runtime_, problem.matrix, GetParam());
      check(sample);
      if (HasFailure()) return;
    }
  }

  Runtime runtime_{RuntimeOptions{2, "prio"}};
};

TEST_P(FactorParts, AreThoseOfADenseFactorization) {
  for_each_sample([](FactoredSample& sample) {
    const LowerFactor kept = sample.factor().lower(ExplicitZeros::kept);
    support::DenseMatrix l(sample.n());
    for (Index j = 0; j < sample.n(); ++j) {
      ASSERT_EQ(kept.row[kept.column_begin[j]], j);
      for (Count k = kept.column_begin[j]; k < kept.column_begin[j + 1]; ++k) {
        if (k > kept.column_begin[j]) {
          ASSERT_LT(kept.row[k - 1], kept.row[k]);
        }
        l(kept.row[k], j) = kept.value[k];
      }
    }
    EXPECT_TRUE(support::close(l.view(), sample.l().view(), sample.n(), sample.condition()));
    const std::vector<double> diagonal = sample.factor().diagonal();
    for (Index j = 0; j < sample.n(); ++j) EXPECT_EQ(diagonal[j], l(j, j));
  });
}

TEST_P(FactorParts, DropZerosAloneFromL) {
  for_each_sample([](FactoredSample& sample) {
    const LowerFactor kept = sample.factor().lower(ExplicitZeros::kept);
    const LowerFactor dropped = sample.factor().lower();
    EXPECT_EQ(kept.column_begin.back(), sample.factor().report().symbolic.nnz_l);
    Count at = 0;
    for (Index j = 0; j < sample.n(); ++j) {
      ASSERT_EQ(dropped.column_begin[j], at);
      for (Count k = kept.column_begin[j]; k < kept.column_begin[j + 1]; ++k) {
        if (kept.value[k] == 0) continue;
        ASSERT_EQ(dropped.row[at], kept.row[k]);
        ASSERT_EQ(dropped.value[at++], kept.value[k]);
      }
    }
    EXPECT_EQ(std::ssize(dropped.row), at);
    EXPECT_EQ(std::ssize(dropped.value), at);
  });
}

TEST_P(FactorParts, HaveTheDeterminantOfADenseFactorization) {
  for_each_sample([](FactoredSample& sample) {
    double log = 0;
    for (Index j = 0; j < sample.n(); ++j) log += 2 * std::log(sample.l()(j, j));
    const double error = support::tolerance(sample.n()) * sample.condition();
    EXPECT_NEAR(sample.factor().log_determinant(), log, error);
    const Determinant determinant = sample.factor().determinant();
    EXPECT_GE(determinant.mantissa, 0.5);
    EXPECT_LT(determinant.mantissa, 1);
    EXPECT_NEAR(determinant.value() / std::exp(log), 1, error + 1e-10);
  });
}

TEST_P(FactorParts, SolveEachSystem) {
  for_each_sample([](FactoredSample& sample) {
    const auto n = static_cast<std::size_t>(sample.n());
    const std::vector<double> b = support::random_vector(n, 3);
    for (const System system : systems) {
      std::vector<double> x(n);
      sample.factor().solve_part(system, b, x);
      const std::vector<double> expected = sample.expected(system, b);
      EXPECT_TRUE(support::close(x, expected, sample.n(), sample.condition()));
      std::vector<double> in_place = b;
      sample.factor().solve_part(system, in_place, in_place);
      EXPECT_EQ(in_place, x);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Granularities, FactorParts,
                         testing::Values(Granularity::automatic, Granularity::block),
                         [](const auto& info) { return name_of(info.param); });

/// Expects that the parts of a solve, one after another, give the same result as a whole solve.
void expect_whole(Factor& factor, std::span<const double> b, Index count) {
  std::vector<double> whole(b.size());
  factor.solve_part(System::a, b, whole, count);
  std::vector<double> x(b.begin(), b.end());
  for (const System system : {System::p, System::l, System::lt, System::pt}) {
    factor.solve_part(system, x, x, count);
  }
  EXPECT_EQ(x, whole) << count;
  EXPECT_TRUE(support::close(whole, factor.solve(b, count).x, std::ssize(b) / count, 1e3)) << count;
}

/// The factor is one supernode, which is divided among tasks.
TEST(PartsOfADenseFactor, TogetherAreASolve) {
  const Runtime runtime(RuntimeOptions{2, "prio"});
  constexpr Index n = 1000;
  const Matrix matrix = to_matrix(support::dense_random(n, 8));
  Factor factor(runtime, Analysis(matrix));
  ASSERT_TRUE(factor.factorize(matrix).ok());
  for (const Index count : {1, 5}) {
    expect_whole(factor, support::random_vector(static_cast<std::size_t>(n) * count, 2), count);
  }
}

/// Large enough for tasks.
class PartsOfALargeFactor : public testing::Test {
 protected:
  PartsOfALargeFactor() { EXPECT_TRUE(factor_.factorize(matrix_).ok()); }

  Runtime runtime_{RuntimeOptions{2, "prio"}};
  Matrix matrix_ = Matrix::load("laplace3d:17");
  Analysis analysis_{matrix_};
  Factor factor_{runtime_, analysis_};
  Count n_ = matrix_.size();
};

TEST_F(PartsOfALargeFactor, TogetherAreASolve) {
  for (const Index count : {1, 3, 65}) {
    expect_whole(factor_, support::random_vector(n_ * count, 5), count);
  }
}

TEST_F(PartsOfALargeFactor, TakeVectorsThatAreApart) {
  constexpr Index count = 3;
  const Count ldb = n_ + 5;
  const Count ldx = n_ + 2;
  const std::vector<double> b = support::random_vector(ldb * (count - 1) + n_, 6);
  for (const System system : systems) {
    constexpr double untouched = 1e300;
    std::vector<double> x(ldx * (count - 1) + n_, untouched);
    factor_.solve_part(system, b, x, count, ldb, ldx);
    std::vector<double> packed(n_ * count);
    for (Index r = 0; r < count; ++r) std::copy_n(&b[r * ldb], n_, &packed[r * n_]);
    factor_.solve_part(system, packed, packed, count);
    for (Index r = 0; r < count; ++r) {
      for (Count i = 0; i < n_; ++i) ASSERT_EQ(x[r * ldx + i], packed[r * n_ + i]);
      for (Count i = n_; i < ldx && r + 1 < count; ++i) ASSERT_EQ(x[r * ldx + i], untouched);
    }
  }
}

TEST_F(PartsOfALargeFactor, RefuseWrongSizes) {
  const std::vector<double> b(2 * n_);
  std::vector<double> x(2 * n_);
  const std::span<const double> given(b);
  const auto refuse = [&](std::span<const double> right, Index count, Count ldb, Count ldx,
                          std::initializer_list<std::string> words) {
    expect_error<UsageError>([&] { factor_.solve_part(System::l, right, x, count, ldb, ldx); },
                             words);
  };
  refuse(given.first(n_ - 1), 1, 0, 0, {"b has 4912", "4913"});
  refuse(given, 3, 0, 0, {"3 vectors", "b has 9826"});
  refuse(given, 0, 0, 0, {"0 vectors"});
  refuse(given, 2, n_ - 1, 0, {"of b", "4912"});
  refuse(given, 2, 0, n_ + 1, {"x has 9826", "9827"});
  expect_error<UsageError>(
      [&] { factor_.solve_part(System::l, std::span(x).first(n_), x, 1, -1, 0); }, {"-1"});
  std::vector<double> wide(2 * n_ + 1);
  expect_error<UsageError>([&] { factor_.solve_part(System::l, wide, wide, 2, n_, n_ + 1); },
                           {"the same array"});
  EXPECT_NO_THROW(factor_.solve_part(System::l, given, x, 2));
}

TEST_F(PartsOfALargeFactor, WaitForWhatWasSubmitted) {
  std::vector<double> value(matrix_.values().begin(), matrix_.values().end());
  for (double& v : value) v *= 4;
  const std::vector<double> before = factor_.diagonal();
  factor_.submit_factorize(matrix_.with_values(value));
  const std::vector<double> after = factor_.diagonal();
  for (std::size_t k = 0; k < before.size(); ++k) {
    ASSERT_TRUE(support::close(after[k], 2 * before[k], 2 * before[k], n_));
  }
}

TEST(FactorPartsContract, NeedAFactor) {
  const Runtime runtime(RuntimeOptions{1, "prio"});
  const SparseMatrix a = support::dense_random(20, 4);
  const Matrix matrix = to_matrix(a);
  Factor factor(runtime, analysis_of(matrix));
  std::vector<double> x(20);
  const auto refuse_all = [&] {
    expect_error<UsageError>([&] { factor.diagonal(); }, {"factorize()"});
    expect_error<UsageError>([&] { factor.lower(); }, {"factorize()"});
    expect_error<UsageError>([&] { factor.determinant(); }, {"factorize()"});
    expect_error<UsageError>([&] { factor.log_determinant(); }, {"factorize()"});
    for (const System system : systems) {
      expect_error<UsageError>([&] { factor.solve_part(system, x, x); }, {"factorize()"});
    }
  };
  refuse_all();
  EXPECT_EQ(factor.permutation().size(), 20u);
  ASSERT_FALSE(factor.factorize(to_matrix(support::with_bad_column(a, 7))).ok());
  refuse_all();
  ASSERT_TRUE(factor.factorize(matrix).ok());
  EXPECT_EQ(factor.diagonal().size(), 20u);
}

TEST(FactorPartsContract, PermutationOfAnAnalysisIsThatOfItsFactors) {
  const Runtime runtime(RuntimeOptions{1, "prio"});
  const Matrix matrix = Matrix::load("laplace2d:9");
  const Analysis analysis = analysis_of(matrix);
  const Factor factor(runtime, analysis);
  EXPECT_EQ(analysis.permutation().data(), factor.permutation().data());
  const std::vector<Index> sorted = [&] {
    std::vector<Index> numbers(analysis.permutation().begin(), analysis.permutation().end());
    std::ranges::sort(numbers);
    return numbers;
  }();
  for (Index i = 0; i < 81; ++i) EXPECT_EQ(sorted[i], i);
}

TEST(Determinant, NeitherOverflowsNorUnderflows) {
  const Runtime runtime(RuntimeOptions{1, "prio"});
  constexpr Index n = 200;
  for (const int power : {1000, -1000}) {
    SparseMatrix a = support::identity(n);
    for (double& value : a.value) value = std::ldexp(1.0, power);
    const Matrix matrix = to_matrix(a);
    Factor factor(runtime, analysis_of(matrix));
    ASSERT_TRUE(factor.factorize(matrix).ok());
    const Determinant determinant = factor.determinant();
    EXPECT_EQ(determinant.mantissa, 0.5);
    EXPECT_EQ(determinant.exponent, Count{n} * power + 1);
    EXPECT_EQ(determinant.value(), power > 0 ? std::numeric_limits<double>::infinity() : 0);
    EXPECT_DOUBLE_EQ(factor.log_determinant(), n * power * std::log(2.0));
  }
  EXPECT_EQ(Determinant{}.value(), 1);
  EXPECT_EQ(Determinant{}.log(), 0);
}

}  // namespace
}  // namespace espalier::internal
