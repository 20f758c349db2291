// SPDX-License-Identifier: BSD-3-Clause
#include "matrix/irregular_problem.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "matrix/norms.hpp"

namespace espalier {
namespace {

TEST(Irregular2d, RowsSumToTheShift) {
  for (const Index n : {1, 2, 7, 100, 3000}) {
    const SparseMatrix a = irregular2d(n);
    EXPECT_NO_THROW(check(a));
    const std::vector<double> ones(n, 1);
    std::vector<double> sums(n);
    multiply(a, ones, sums);
    for (const double sum : sums) EXPECT_NEAR(sum, 1e-3, 1e-11);
  }
}

TEST(Irregular2d, TiesEveryPointToItsNeighbours) {
  const Index n = 3000;
  const SparseMatrix a = irregular2d(n);
  std::vector<Index> degree(n, 0);
  for (Index j = 0; j < n; ++j) {
    for (Count k = a.pattern.column_begin[j] + 1; k < a.pattern.column_begin[j + 1]; ++k) {
      EXPECT_LT(a.value[k], 0);
      EXPECT_GE(a.value[k], -1000);
      ++degree[j];
      ++degree[a.pattern.row[k]];
    }
  }
  EXPECT_GE(*std::min_element(degree.begin(), degree.end()), 6);
  EXPECT_LT(a.pattern.entries(), 5 * Count{n});  // most ties are mutual
}

TEST(Irregular2d, OfFewPointsIsComplete) {
  for (const Index n : {2, 3, 7}) EXPECT_EQ(irregular2d(n).pattern.entries(), n * (n + 1) / 2);
}

TEST(Irregular2d, NumbersItsPointsInNoOrder) {
  const SparseMatrix a = irregular2d(3000);
  Count far = 0;
  for (Index j = 0; j < 3000; ++j) {
    for (const Index i : a.pattern.column(j)) far += i - j > 300;
  }
  EXPECT_GT(far, a.pattern.entries() / 2);
}

TEST(Irregular2d, IsTheSameEveryTime) { EXPECT_EQ(irregular2d(500).value, irregular2d(500).value); }

}  // namespace
}  // namespace espalier
