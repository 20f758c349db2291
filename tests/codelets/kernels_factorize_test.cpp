// SPDX-License-Identifier: BSD-3-Clause

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "codelets/cpu/simd/kernels.hpp"
#include "codelets/flavours.hpp"
#include "codelets/samples.hpp"
#include "support/tolerance.hpp"

namespace espalier::internal {
namespace {

TEST(SmallKernels, AreTheWidestThatThisProcessorHas) {
  const simd::SmallKernels* widest = &simd::portable_kernels;
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) widest = &simd::avx2_kernels;
  if (__builtin_cpu_supports("avx512f")) widest = &simd::avx512_kernels;
#endif
  EXPECT_EQ(&simd::small_kernels(), widest);
  EXPECT_NE(std::string(widest->instruction_set), "");
}

}  // namespace
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
    ASSERT_EQ(kernels().potrf(a.view()).first_bad, -1);
    for (Index j = 0; j < n; ++j) {
      for (Index i = j; i < n; ++i) {
        EXPECT_TRUE(support::close(a(i, j), std::ldexp(1, j - i), 1, n)) << i << ", " << j;
      }
    }
    EXPECT_TRUE(a.upper_hidden());
  }
}

/// The same matrix times 2^e, near the ends of the range of double.
TEST_P(Potrf, KeepsItsDigitsAtTheEndsOfTheRange) {
  for (const int exponent : {-1004, 1004}) {
    DenseSample a(9, 9);
    for (Index j = 0; j < 9; ++j) {
      for (Index i = j; i < 9; ++i) {
        a(i, j) = std::ldexp((std::ldexp(1, 2 * (j + 1)) - 1) / 3, exponent - i - j);
      }
    }
    ASSERT_EQ(kernels().potrf(a.view()).first_bad, -1);
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
  ASSERT_EQ(kernels().potrf(a.view()).first_bad, -1);
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
    ASSERT_EQ(kernels().potrf(l.view()).first_bad, -1) << n;
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
        EXPECT_EQ(kernels().potrf(a.view()).first_bad, bad) << n << " columns, pivot " << pivot;
        EXPECT_TRUE(a.guards_intact() && a.upper_hidden()) << n;
      }
    }
  }
}

TEST_P(Potrf, FailsWhereEliminationMakesAPivotNegative) {
  for (const Index n : {2, 65, 257}) {
    DenseSample a = DenseSample::dominant_lower(n, n);
    a(n - 1, 0) = 2.0 * (n + 1);
    EXPECT_EQ(kernels().potrf(a.view()).first_bad, n - 1);
  }
}

TEST_P(Potrf, FailsAtAPivotThatIsNotANumber) {
  for (const Index n : {1, 9, 65, 257}) {
    DenseSample a = DenseSample::dominant_lower(n, n);
    a(n / 2, n / 2) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(kernels().potrf(a.view()).first_bad, n / 2) << n;
  }
}

TEST_P(Potrf, EqualsTheReference) {
  for (const Index n : awkward_sizes) {
    DenseSample expected = DenseSample::dominant_lower(n, 2 * n);
    DenseSample actual = expected;
    EXPECT_EQ(reference::kernels.potrf(expected.view()).first_bad, -1);
    EXPECT_EQ(kernels().potrf(actual.view()).first_bad, -1);
    EXPECT_TRUE(support::close_lower(actual.view(), expected.view(), n)) << n;
  }
}

INSTANTIATE_TEST_SUITE_P(Flavours, Potrf, testing::ValuesIn(support::all_flavours()),
                         support::name_of_flavour);

}  // namespace
namespace {

using support::awkward_sizes;
using support::DenseSample;

constexpr Index rows_of_b[] = {0, 1, 2, 8, 9, 33, 130};

TEST(ReferenceTrsm, OfTwoColumnsByHand) {
  DenseSample l(2, 2);
  l(0, 0) = 2, l(1, 0) = 3, l(1, 1) = 4;
  DenseSample b(1, 2);
  b(0, 0) = 10, b(0, 1) = 23;
  reference::kernels.trsm(l.view(), b.view(), {});
  EXPECT_EQ(b(0, 0), 5);
  EXPECT_EQ(b(0, 1), 2);
}

TEST(ReferenceTrsm, MultipliedByTheTriangleGivesTheRightHandSideBack) {
  for (const Index n : {1, 7, 33}) {
    const DenseSample l = DenseSample::dominant_lower(n, n);
    const DenseSample b = DenseSample::random(5, n, n);
    DenseSample x = b;
    reference::kernels.trsm(l.view(), x.view(), {});
    DenseSample product(5, n);
    for (Index j = 0; j < n; ++j) {
      for (Index i = 0; i < 5; ++i) {
        product(i, j) = 0;
        for (Index k = 0; k <= j; ++k) product(i, j) += x(i, k) * l(j, k);
      }
    }
    EXPECT_TRUE(support::close(product.view(), b.view(), n)) << n;
  }
}

class Trsm : public support::KernelTest {
 protected:
  void expect_equal_to_reference(Index rows, Index order) const {
    SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(order));
    const DenseSample l = DenseSample::dominant_lower(order, order);
    const DenseSample b = DenseSample::random(rows, order, rows + 1);
    DenseSample expected = b;
    reference::kernels.trsm(l.view(), expected.view(), {});
    for (const std::span<double> scratch : {support::fresh_buffer(), std::span<double>()}) {
      DenseSample actual = b;
      kernels().trsm(l.view(), actual.view(), scratch);
      EXPECT_TRUE(support::close(actual.view(), expected.view(), order)) << scratch.size();
      EXPECT_TRUE(actual.guards_intact());
    }
  }
};

TEST_P(Trsm, EqualsTheReference) {
  for (const Index order : awkward_sizes) {
    for (const Index rows : rows_of_b) expect_equal_to_reference(rows, order);
  }
  expect_equal_to_reference(733, 231);
}

INSTANTIATE_TEST_SUITE_P(Flavours, Trsm, testing::ValuesIn(support::all_flavours()),
                         support::name_of_flavour);

}  // namespace
}  // namespace espalier::internal
