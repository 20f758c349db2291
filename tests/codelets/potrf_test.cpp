// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "codelets/dense_sample.hpp"
#include "codelets/flavours.hpp"
#include "support/tolerance.hpp"

namespace espalier {
namespace {

using support::awkward_sizes;
using support::DenseSample;

class Potrf : public support::KernelTest {};

/// a(i,j) = (4^(min(i,j)+1) - 1) / (3 * 2^(i+j)) has the closed form l(i,j) = 2^(j-i).
TEST_P(Potrf, GivesTheClosedFormExactly) {
  for (const Index n : {1, 2, 5, 20, 26}) {
    DenseSample a(n, n);
    for (Index j = 0; j < n; ++j) {
      for (Index i = j; i < n; ++i) {
        a(i, j) = (std::ldexp(1, 2 * (j + 1)) - 1) / (3 * std::ldexp(1, i + j));
      }
    }
    ASSERT_EQ(kernels().potrf(a.view()), -1);
    for (Index j = 0; j < n; ++j) {
      for (Index i = j; i < n; ++i) {
        EXPECT_TRUE(support::close(a(i, j), std::ldexp(1, j - i), 1, n)) << i << ", " << j;
      }
    }
    EXPECT_TRUE(a.upper_hidden());
  }
}

/// The same matrix times 2^e, where the inverse of a pivot is no normal number any more.
TEST_P(Potrf, KeepsItsDigitsAtTheEndsOfTheRange) {
  for (const int exponent : {-1004, 1004}) {
    DenseSample a(9, 9);
    for (Index j = 0; j < 9; ++j) {
      for (Index i = j; i < 9; ++i) {
        a(i, j) = std::ldexp((std::ldexp(1, 2 * (j + 1)) - 1) / 3, exponent - i - j);
      }
    }
    ASSERT_EQ(kernels().potrf(a.view()), -1);
    for (Index j = 0; j < 9; ++j) {
      for (Index i = j; i < 9; ++i) {
        const double entry = std::ldexp(a(i, j), -exponent / 2);
        EXPECT_TRUE(support::close(entry, std::ldexp(1, j - i), 1, 9)) << i << ", " << j;
      }
    }
  }
}

TEST_P(Potrf, OfThreeColumnsByHand) {
  DenseSample a(3, 3);
  const double lower[] = {4, 12, -16, 37, -43, 98};
  const double* next = lower;
  for (Index j = 0; j < 3; ++j) {
    for (Index i = j; i < 3; ++i) a(i, j) = *next++;
  }
  ASSERT_EQ(kernels().potrf(a.view()), -1);
  const double expected[] = {2, 6, -8, 1, 5, 3};
  next = expected;
  for (Index j = 0; j < 3; ++j) {
    for (Index i = j; i < 3; ++i) EXPECT_TRUE(support::close(a(i, j), *next++, 10, 3));
  }
}

TEST_P(Potrf, MultipliedOutGivesTheMatrixBack) {
  for (const Index n : awkward_sizes) {
    const DenseSample a = DenseSample::dominant_lower(n, n);
    DenseSample l = a;
    ASSERT_EQ(kernels().potrf(l.view()), -1) << n;
    EXPECT_TRUE(l.guards_intact() && l.upper_hidden()) << n;
    DenseSample product(n, n);
    for (Index j = 0; j < n; ++j) {
      for (Index i = j; i < n; ++i) {
        product(i, j) = 0;
        for (Index k = 0; k <= j; ++k) product(i, j) += l(i, k) * l(j, k);
      }
    }
    EXPECT_TRUE(support::close_lower(product.view(), a.view(), n)) << n;
  }
}

TEST_P(Potrf, NamesTheColumnWhosePivotFails) {
  for (const Index n : awkward_sizes) {
    if (n == 0) continue;
    for (const Index bad : std::set<Index>{0, n / 3, n / 2, n - 1}) {
      for (const double pivot : {-1.0, 0.0, -1e300}) {
        DenseSample a = DenseSample::dominant_lower(n, n);
        for (Index j = 0; j < bad; ++j) a(bad, j) = 0;
        a(bad, bad) = pivot;
        EXPECT_EQ(kernels().potrf(a.view()), bad) << n << " columns, pivot " << pivot;
        EXPECT_TRUE(a.guards_intact() && a.upper_hidden()) << n;
      }
    }
  }
}

TEST_P(Potrf, FailsWhereEliminationMakesAPivotNegative) {
  for (const Index n : {2, 65, 257}) {
    DenseSample a = DenseSample::dominant_lower(n, n);
    a(n - 1, 0) = 2.0 * (n + 1);
    EXPECT_EQ(kernels().potrf(a.view()), n - 1);
  }
}

TEST_P(Potrf, FailsAtAPivotThatIsNotANumber) {
  for (const Index n : {1, 9, 65, 257}) {
    DenseSample a = DenseSample::dominant_lower(n, n);
    a(n / 2, n / 2) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(kernels().potrf(a.view()), n / 2) << n;
  }
}

TEST_P(Potrf, EqualsTheReference) {
  for (const Index n : awkward_sizes) {
    DenseSample expected = DenseSample::dominant_lower(n, 2 * n);
    DenseSample actual = expected;
    EXPECT_EQ(reference::kernels.potrf(expected.view()), -1);
    EXPECT_EQ(kernels().potrf(actual.view()), -1);
    EXPECT_TRUE(support::close_lower(actual.view(), expected.view(), n)) << n;
  }
}

INSTANTIATE_TEST_SUITE_P(Flavours, Potrf, testing::ValuesIn(support::all_flavours()),
                         support::name_of_flavour);

}  // namespace
}  // namespace espalier
