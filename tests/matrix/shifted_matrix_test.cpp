// SPDX-License-Identifier: BSD-3-Clause
#include "matrix/shifted_matrix.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "espalier/error.hpp"
#include "support/expect.hpp"

namespace espalier::internal {
namespace {

using support::expect_error;
using testing::ElementsAre;

const LowerPattern tridiagonal{3, {0, 2, 4, 5}, {0, 1, 1, 2, 2}};
const LowerPattern arrow{3, {0, 3, 4, 5}, {0, 1, 2, 1, 2}};
const LowerPattern diagonal{3, {0, 1, 2, 3}, {0, 1, 2}};

TEST(ShiftedMatrix, ComparesPatterns) {
  EXPECT_TRUE(contains(tridiagonal, diagonal));
  EXPECT_TRUE(contains(tridiagonal, tridiagonal));
  EXPECT_FALSE(contains(diagonal, tridiagonal));
  EXPECT_FALSE(contains(tridiagonal, arrow));
  EXPECT_TRUE(contains(LowerPattern(), LowerPattern()));
}

TEST(ShiftedMatrix, UnitesPatterns) {
  const LowerPattern both = union_of(tridiagonal, arrow);
  EXPECT_NO_THROW(check(both));
  EXPECT_THAT(both.column_begin, ElementsAre(0, 3, 5, 6));
  EXPECT_THAT(both.row, ElementsAre(0, 1, 2, 1, 2, 2));
  EXPECT_EQ(union_of(LowerPattern(), LowerPattern()).entries(), 0);
}

TEST(ShiftedMatrix, SubtractsEntryByEntry) {
  const LowerPattern both = union_of(tridiagonal, arrow);
  std::vector<double> value(6, 7.0);
  const std::vector<double> a{1, 2, 3, 4, 5};
  copy_values({tridiagonal, a}, both, value);
  EXPECT_THAT(value, ElementsAre(1, 2, 0, 3, 4, 5));
  subtract_identity(3, both, value);
  EXPECT_THAT(value, ElementsAre(-2, 2, 0, 0, 4, 2));
  const std::vector<double> b{1, 1, 2, 3, 4};
  subtract(2, {arrow, b}, both, value);
  EXPECT_THAT(value, ElementsAre(-4, 0, -4, -6, 4, -6));
}

TEST(ShiftedMatrix, RefusesAnOverflow) {
  std::vector<double> value{1e308, 1, -1e308};
  expect_error<InputError>([&] { subtract_identity(1e308, diagonal, value); },
                           {"row 3, column 3", "-1e+308 - 1e+308 * 1"});
}

}  // namespace
}  // namespace espalier::internal
