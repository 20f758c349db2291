// SPDX-License-Identifier: BSD-3-Clause

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "codelets/flavours.hpp"
#include "codelets/samples.hpp"
#include "support/tolerance.hpp"

namespace espalier::internal {
namespace {

using support::DenseSample;

/// A symmetric block whose factorization chooses its pivots.
struct PivotedSample {
  DenseSample a;
  std::vector<double> sign;
  std::vector<Index> swap;
  std::vector<Rotation> rotation;
  std::vector<std::uint8_t> replaced;
  double least = 1e-14;
  double replacement = 3e-14;

  explicit PivotedSample(DenseSample given)
      : a(std::move(given)),
        sign(order()),
        swap(order(), -1),
        rotation(order(), Rotation{7, 7}),
        replaced(order(), 7) {}

  std::size_t order() const { return static_cast<std::size_t>(a.view().columns); }
  PivotReport factor(const Kernels& kernels) {
    return kernels.pivoted_potrf(
        a.view(), {sign.data(), swap.data(), rotation.data(), least, replacement, replaced.data()},
        support::fresh_buffer());
  }
  Index negative() const { return static_cast<Index>(std::ranges::count(sign, -1.0)); }
  Index replacements() const { return static_cast<Index>(std::ranges::count(replaced, 1)); }
};

/// Returns U L J Lᵀ Uᵀ.
DenseSample multiplied_out(const PivotedSample& factored) {
  const auto n = static_cast<Index>(factored.order());
  DenseSample product(n, n);
  for (Index j = 0; j < n; ++j) {
    for (Index i = j; i < n; ++i) {
      double sum = 0;
      for (Index k = 0; k <= j; ++k) sum += factored.a(i, k) * factored.sign[k] * factored.a(j, k);
      product(i, j) = sum;
      product(j, i) = sum;
    }
  }
  for (Index k = 0; k + 1 < n; ++k) {
    const auto [c, s] = factored.rotation[k];
    for (Index i = 0; i < n; ++i) {
      const double left = product(i, k);
      product(i, k) = c * left + s * product(i, k + 1);
      product(i, k + 1) = c * product(i, k + 1) - s * left;
    }
    for (Index i = 0; i < n; ++i) {
      const double left = product(k, i);
      product(k, i) = c * left + s * product(k + 1, i);
      product(k + 1, i) = c * product(k + 1, i) - s * left;
    }
  }
  for (Index k = n; k-- > 0;) {
    const Index other = factored.swap[k];
    for (Index i = 0; i < n; ++i) std::swap(product(i, k), product(i, other));
    for (Index i = 0; i < n; ++i) std::swap(product(k, i), product(other, i));
  }
  return product;
}

/// Returns a random symmetric matrix, given by its lower triangle.
DenseSample random_lower(Index n, std::uint64_t seed) {
  DenseSample a = DenseSample::random(n, n, seed);
  a.hide_upper();
  return a;
}

class PivotedPotrf : public support::KernelTest {
 protected:
  /// Factors the matrix, and compares the product of the factors with it.
  PivotedSample checked(const DenseSample& a) const {
    const Index n = a.view().columns;
    SCOPED_TRACE(n);
    PivotedSample sample(a);
    EXPECT_EQ(sample.factor(kernels()).first_bad, -1);
    EXPECT_TRUE(sample.a.guards_intact() && sample.a.upper_hidden());
    for (Index k = 0; k < n; ++k) {
      EXPECT_GT(sample.a(k, k), 0);
      EXPECT_EQ(std::abs(sample.sign[k]), 1);
      EXPECT_TRUE(sample.swap[k] >= k && sample.swap[k] < n);
      EXPECT_NEAR(std::hypot(sample.rotation[k].cosine, sample.rotation[k].sine), 1, 1e-14);
    }
    if (sample.replacements() == 0) {
      const DenseSample product = multiplied_out(sample);
      EXPECT_TRUE(support::close_lower(product.view(), a.view(), n, 10));
    }
    return sample;
  }
};

TEST_P(PivotedPotrf, OfRandomMatricesGivesThemBack) {
  for (const Index n : support::awkward_sizes) {
    checked(random_lower(n, static_cast<std::uint64_t>(n) + 1));
  }
}

TEST_P(PivotedPotrf, BoundsTheEntriesOfUnitTriangles) {
  for (const Index n : {5, 40, 129}) {
    const PivotedSample sample = checked(random_lower(n, 3));
    for (Index j = 0; j < n; ++j) {
      for (Index i = j + 1; i < n; ++i) {
        EXPECT_LE(std::abs(sample.a(i, j)), 4 * sample.a(j, j)) << i << ", " << j;
      }
    }
  }
}

TEST_P(PivotedPotrf, OfAZeroDiagonalNeedsPairs) {
  for (const Index n : {2, 6, 34, 66, 130}) {
    DenseSample a = random_lower(n, 4);
    for (Index j = 0; j < n; ++j) a(j, j) = 0;
    const PivotedSample sample = checked(a);
    EXPECT_TRUE(std::ranges::any_of(sample.rotation, [](Rotation by) { return by.sine != 0; }));
  }
}

/// [D Bᵀ; B 0] with n positive diagonal entries and m < n rows of B has m negative eigenvalues.
TEST_P(PivotedPotrf, OfSaddlePointsFindsTheInertia) {
  for (const Index n : {2, 10, 33, 100}) {
    const Index m = n / 2;
    DenseSample a = random_lower(n + m, 5);
    for (Index j = 0; j < n + m; ++j) {
      for (Index i = j; i < n + m; ++i) {
        if (i < n && j < n && i != j) a(i, j) = 0;
        if (j >= n) a(i, j) = 0;
      }
      if (j < n) a(j, j) = 1e-3 + std::abs(a(j, j));
    }
    EXPECT_EQ(checked(a).negative(), m);
  }
}

TEST_P(PivotedPotrf, OfPositiveDefiniteMatricesHasPositiveSigns) {
  for (const Index n : {1, 5, 32, 77}) {
    EXPECT_EQ(checked(DenseSample::dominant_lower(n, 6)).negative(), 0);
  }
}

TEST_P(PivotedPotrf, OfGradedMatricesGivesThemBack) {
  for (const int exponent : {-900, -300, 0, 300, 900}) {
    DenseSample a = random_lower(40, 7);
    for (Index j = 0; j < 40; ++j) {
      for (Index i = j; i < 40; ++i) a(i, j) = std::ldexp(a(i, j), exponent);
    }
    PivotedSample sample(a);
    sample.least = std::ldexp(1e-14, exponent);
    ASSERT_EQ(sample.factor(kernels()).first_bad, -1);
    EXPECT_TRUE(support::close_lower(multiplied_out(sample).view(), a.view(), 40, 10));
  }
}

TEST_P(PivotedPotrf, ReplacesPivotsOfZeroColumns) {
  for (const Index n : {1, 4, 33, 70}) {
    DenseSample a = random_lower(n, 8);
    const Index zero = n / 2;
    for (Index i = 0; i < n; ++i) (i < zero ? a(zero, i) : a(i, zero)) = 0;
    const PivotedSample sample = checked(a);
    EXPECT_EQ(sample.replacements(), 1);
  }
}

TEST_P(PivotedPotrf, OfAZeroMatrixReplacesAllPivots) {
  DenseSample a = random_lower(9, 9);
  for (Index j = 0; j < 9; ++j) {
    for (Index i = j; i < 9; ++i) a(i, j) = 0;
  }
  const PivotedSample sample = checked(a);
  EXPECT_EQ(sample.replacements(), 9);
  EXPECT_EQ(sample.a(3, 3), std::sqrt(sample.replacement));
}

TEST_P(PivotedPotrf, RefusesNumbersThatAreNotFinite) {
  for (const double bad :
       {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    for (const Index n : {1, 3, 20, 70}) {
      DenseSample a = random_lower(n, 10);
      a(n - 1, n / 2) = bad;
      PivotedSample sample(a);
      EXPECT_GE(sample.factor(kernels()).first_bad, 0) << n;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, PivotedPotrf, testing::ValuesIn(support::all_flavours()),
                         support::name_of_flavour);

}  // namespace
}  // namespace espalier::internal
