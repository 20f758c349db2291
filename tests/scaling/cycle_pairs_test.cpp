// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/cycle_pairs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

namespace espalier::internal {
namespace {

/// Returns the logarithm of the product of the pivots of a division.
double log_product(const std::vector<Index>& partner, const std::vector<double>& diagonal) {
  double sum = 0;
  for (Index j = 0; j < std::ssize(partner); ++j) {
    const Index i = partner[j];
    if (i >= j) sum += std::log(std::abs(i == j ? diagonal[j] : diagonal[i] * diagonal[j] - 1));
  }
  return sum;
}

/// Returns the division of one cycle 0, 1, ..., n - 1 whose pairs begin behind this position.
std::vector<Index> division(Index n, Index begin) {
  std::vector<Index> partner(static_cast<std::size_t>(n));
  std::iota(partner.begin(), partner.end(), 0);
  for (Index k = 0; k + 1 < n; k += 2) {
    const Index first = (begin + k) % n, second = (begin + k + 1) % n;
    partner[first] = second;
    partner[second] = first;
  }
  return partner;
}

TEST(CyclePairs, TakeTheDivisionWithTheLargestProduct) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 engine(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    const Index n = 2 + static_cast<Index>(seed % 12);
    std::vector<double> diagonal(static_cast<std::size_t>(n));
    for (double& d : diagonal) d = uniform(engine);
    std::vector<Index> row_of(static_cast<std::size_t>(n));
    for (Index j = 0; j < n; ++j) row_of[j] = (j + 1) % n;

    double best = log_product(division(n, 0), diagonal);
    for (Index begin = 1; begin < n; ++begin) {
      best = std::max(best, log_product(division(n, begin), diagonal));
    }
    EXPECT_NEAR(log_product(cycle_pairs(row_of, diagonal), diagonal), best, 1e-12);
  }
}

TEST(CyclePairs, LeaveFixedAndUnmatchedColumnsSingle) {
  const std::vector<Index> row_of{0, 3, -1, 1, -1, 5};
  const std::vector<double> diagonal(6, 0.5);
  EXPECT_EQ(cycle_pairs(row_of, diagonal), (std::vector<Index>{0, 3, 2, 1, 4, 5}));
  EXPECT_TRUE(cycle_pairs({}, {}).empty());
}

TEST(CyclePairs, AvoidSingularPivotsAndZeros) {
  // The pairs (0, 1) and (2, 3) have determinant 0.
  EXPECT_EQ(cycle_pairs(std::vector<Index>{1, 2, 3, 0}, std::vector<double>{1, 1, -1, -1}),
            (std::vector<Index>{3, 2, 1, 0}));
  // Only column 2 can be a single pivot.
  EXPECT_EQ(cycle_pairs(std::vector<Index>{1, 2, 3, 4, 0}, std::vector<double>{0, 0, 0.1, 0, 0}),
            (std::vector<Index>{1, 0, 2, 4, 3}));
}

TEST(CyclePairs, DivideLongCyclesInLinearTime) {
  const Index n = 200'001;
  std::vector<Index> row_of(static_cast<std::size_t>(n));
  for (Index j = 0; j < n; ++j) row_of[j] = (j + 1) % n;
  std::vector<double> diagonal(static_cast<std::size_t>(n));
  diagonal[77'777] = 1;
  const std::vector<Index> partner = cycle_pairs(row_of, diagonal);
  for (Index j = 0; j < n; ++j) {
    ASSERT_EQ(partner[partner[j]], j);
    ASSERT_EQ(partner[j] == j, j == 77'777);
  }
}

}  // namespace
}  // namespace espalier::internal
