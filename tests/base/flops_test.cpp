// SPDX-License-Identifier: BSD-3-Clause
#include "base/flops.hpp"

#include <gtest/gtest.h>

#include "espalier/types.hpp"

/// The formulas against a count of every addition, multiplication, division and square root of the
/// plain loops.
namespace espalier {
namespace {

constexpr Index sizes[] = {0, 1, 2, 3, 5, 8, 13, 40};

Count operations_of_potrf(Index n) {
  Count count = 0;
  for (Index j = 0; j < n; ++j) {
    for (Index k = 0; k < j; ++k) count += Count{2} * (n - j);
    count += 1;
    count += n - j - 1;
  }
  return count;
}

Count operations_of_trsm(Index m, Index n) {
  Count count = 0;
  for (Index j = 0; j < n; ++j) {
    for (Index k = 0; k < j; ++k) count += Count{2} * m;
    count += m;
  }
  return count;
}

/// Entries (i, j) with i >= j of an m-by-n product, inner dimension k.
Count operations_of_trapezoid(Index m, Index n, Index k) {
  Count count = 0;
  for (Index j = 0; j < n; ++j) {
    for (Index i = j; i < m; ++i) count += Count{2} * k;
  }
  return count;
}

TEST(Flops, OfPotrfLackTheLinearTermOnly) {
  for (const Index n : sizes) {
    EXPECT_NEAR(operations_of_potrf(n) - flops::potrf(n), n / 6.0, 1e-9) << n;
  }
}

TEST(Flops, OfTrsmAreExact) {
  for (const Index m : sizes) {
    for (const Index n : sizes) EXPECT_EQ(flops::trsm(m, n), operations_of_trsm(m, n));
  }
}

TEST(Flops, OfProductsAreExact) {
  for (const Index n : sizes) {
    for (const Index k : sizes) {
      EXPECT_EQ(flops::syrk(n, k), operations_of_trapezoid(n, n, k));
      EXPECT_EQ(flops::gemm(n, 7, k), 2.0 * n * 7 * k);
      EXPECT_EQ(flops::trapezoid(n, n, k), flops::syrk(n, k));
      for (const Index below : sizes) {
        EXPECT_EQ(flops::trapezoid(n + below, n, k), operations_of_trapezoid(n + below, n, k));
      }
    }
  }
}

TEST(Flops, OfALargeProductDoNotOverflow) { EXPECT_EQ(flops::gemm(1e5, 1e5, 1e5), 2e15); }

}  // namespace
}  // namespace espalier
