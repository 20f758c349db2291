// SPDX-License-Identifier: BSD-3-Clause
#include "matrix/norms.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "espalier/error.hpp"
#include "support/expect_error.hpp"
#include "support/matrices.hpp"

namespace espalier {
namespace {

double worst_error(const SparseMatrixView& a, std::span<const double> x, std::span<const double> b,
                   Index count = 1) {
  std::vector<double> r(b.size());
  return residual_error(a, norm_inf(a), x, b, r, count);
}

using support::expect_error;
using Vector = std::vector<double>;

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();

Vector random_vector(std::size_t size) {
  std::mt19937_64 generator(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Vector x(size);
  for (double& value : x) value = uniform(generator);
  return x;
}

Vector dense_product(const SparseMatrix& a, const Vector& x, Index count) {
  const std::size_t n = a.pattern.n;
  const Vector dense = support::to_dense(a);
  Vector y(n * count, 0);
  for (Index c = 0; c < count; ++c) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = 0; i < n; ++i) y[c * n + i] += dense[i + j * n] * x[c * n + j];
    }
  }
  return y;
}

double dense_norm(const SparseMatrix& a) {
  const std::size_t n = a.pattern.n;
  const Vector dense = support::to_dense(a);
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j) sum += std::fabs(dense[i + j * n]);
    largest = std::max(largest, sum);
  }
  return largest;
}

TEST(Norms, ProductAndNormAgreeWithDenseOnes) {
  for (const auto& [name, a] : support::small_matrices()) {
    SCOPED_TRACE(name);
    const double norm = dense_norm(a);
    EXPECT_NEAR(norm_inf(a), norm, 1e-14 * norm);
    for (const Index count : {1, 3, 4, 5, 9}) {
      const Vector x = random_vector(static_cast<std::size_t>(a.pattern.n) * count);
      Vector y(x.size(), nan_value);
      multiply(a, x, y, count);
      const Vector expected = dense_product(a, x, count);
      for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], expected[i], 1e-14 * norm);
    }
  }
}

TEST(Norms, ResidualMayReplaceTheRightHandSide) {
  const SparseMatrix a = support::liu_1990();
  const Vector x = random_vector(50);
  Vector b = random_vector(50);
  Vector apart(50);

  residual(a, x, b, apart, 5);
  const Vector product = dense_product(a, x, 5);
  for (std::size_t i = 0; i < b.size(); ++i) EXPECT_NEAR(apart[i], b[i] - product[i], 1e-14);
  residual(a, x, b, b, 5);
  EXPECT_EQ(b, apart);
}

TEST(Norms, MaxAbsKeepsNanWhereverItStands) {
  EXPECT_EQ(max_abs({}), 0);
  EXPECT_EQ(max_abs(Vector{1, -3, 2}), 3);
  EXPECT_TRUE(std::isnan(max_abs(Vector{nan_value, 3, 2})));
  EXPECT_TRUE(std::isnan(max_abs(Vector{1, nan_value, 2})));
  EXPECT_TRUE(std::isnan(max_abs(Vector{1, 3, nan_value})));
}

TEST(BackwardError, IsTheDefinitionByHand) {
  // A = [2 -1; -1 2], x = (1, 1), b = (1, 2): r = (0, 1), and 1 / (3 * 1 + 2).
  const SparseMatrix a = support::tridiagonal(2);

  EXPECT_DOUBLE_EQ(worst_error(a, Vector{1, 1}, Vector{1, 2}), 0.2);
}

TEST(BackwardError, IsTheWorstOfSeveral) {
  const SparseMatrix a = support::tridiagonal(2);

  EXPECT_DOUBLE_EQ(worst_error(a, Vector{1, 1, 1, 1, 0, 0}, Vector{1, 1, 1, 2, 0, 0}, 3), 0.2);
}

TEST(BackwardError, OfNothingIsZero) {
  const SparseMatrix a = support::tridiagonal(2);

  EXPECT_EQ(worst_error(a, Vector{0, 0}, Vector{0, 0}), 0);
  EXPECT_EQ(worst_error(a, Vector{}, Vector{}, 0), 0);
}

TEST(BackwardError, IsNeverSmallWhereANumberIsNotFinite) {
  const SparseMatrix a = support::tridiagonal(3);
  for (const double bad : {nan_value, infinite, -infinite}) {
    for (const std::size_t at : {0, 1, 2}) {
      Vector x{1, 1, 1};
      Vector b{1, 0, 1};
      x[at] = bad;
      EXPECT_FALSE(worst_error(a, x, b) < 1) << bad << " in x at " << at;
      x[at] = 1;
      b[at] = bad;
      EXPECT_FALSE(worst_error(a, x, b) < 1) << bad << " in b at " << at;
    }
  }
  const Vector two_vectors_x{1, 1, 1, nan_value, 1, 1}, two_vectors_b{1, 0, 1, 1, 0, 1};
  EXPECT_TRUE(std::isnan(worst_error(a, two_vectors_x, two_vectors_b, 2)));
}

TEST(BackwardError, IsInfiniteWhereTheScaleOverflows) {
  const Vector x{1e308, 1e308, 1e308};
  const Vector b{0, 0, 0};
  const Vector small_residual{1, 1, 1};

  EXPECT_EQ(backward_error(4, x, b, small_residual), infinite);
}

TEST(Norms, RefuseArraysOfAnotherLength) {
  const SparseMatrix a = support::tridiagonal(3);
  Vector three(3), six(6);

  expect_error<UsageError>([&] { multiply(a, three, three, 2); }, {"3 values", "2 vectors", "6"});
  expect_error<UsageError>([&] { multiply(a, six, three, 2); }, {"3 values"});
  expect_error<UsageError>([&] { residual(a, three, six, three); }, {"6 values"});
  expect_error<UsageError>([&] { residual(a, three, three, six); }, {"6 values"});
  expect_error<UsageError>([&] { worst_error(a, six, three); }, {"6 values", "order 3"});
}

}  // namespace
}  // namespace espalier
