// SPDX-License-Identifier: BSD-3-Clause
#include "solver/scaled_matrix.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "espalier/espalier.hpp"
#include "solver/data.hpp"

namespace espalier::internal {
namespace {

TEST(ScaledMatrix, ScalesByPowersOfTwo) {
  const Matrix matrix({0, 2, 3}, {0, 1, 1}, {3e100, 5, 7e-100});
  ScaledMatrix scaled;
  scaled.scale(Internals::data(matrix));
  ASSERT_EQ(scaled.factors.size(), 2U);
  const auto& s = scaled.factors;
  for (const double factor : s) {
    int exponent = 0;
    EXPECT_EQ(std::frexp(factor, &exponent), 0.5);
  }
  EXPECT_EQ(scaled.values,
            (std::vector<double>{3e100 * s[0] * s[0], 5 * s[0] * s[1], 7e-100 * s[1] * s[1]}));
  EXPECT_LE(std::abs(*std::ranges::max_element(scaled.values)), 2);
}

TEST(ScaledMatrix, KeepsValuesThatAreNotFinite) {
  const Matrix good({0, 1}, {0}, {4});
  const Matrix bad = good.with_values(std::vector{std::numeric_limits<double>::infinity()});
  ScaledMatrix scaled;
  scaled.scale(Internals::data(bad));
  EXPECT_EQ(scaled.factors, std::vector<double>{1});
  EXPECT_TRUE(std::isinf(scaled.values[0]));
}

}  // namespace
}  // namespace espalier::internal
