// SPDX-License-Identifier: BSD-3-Clause
#include "matrix/shared_pattern.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "espalier/error.hpp"
#include "support/expect.hpp"
#include "support/matrices.hpp"

namespace espalier::internal {
namespace {

using support::expect_error;
using testing::ElementsAre;
using testing::ElementsAreArray;

/// Arrays of a matrix in an application.
struct GivenArrays {
  std::vector<Count> begin{};
  std::vector<Index> short_begin{};
  std::vector<Index> row{};
  std::vector<double> value{};
  CompressedColumns arrays{};
};

/// Returns the arrays of a symmetric matrix. The rows of a column are in a random order unless
/// `sorted`.
GivenArrays arrays_of(const SparseMatrix& a, Triangle triangle, Index base, bool sorted) {
  const Index n = a.pattern.n;
  const std::vector<double> dense = support::to_dense(a);
  std::vector<std::vector<std::pair<Index, double>>> columns(n);
  const auto add = [&](Index i, Index j, double value) { columns[j].emplace_back(i, value); };
  for (Index j = 0; j < n; ++j) {
    for (Count k = a.pattern.column_begin[j]; k < a.pattern.column_begin[j + 1]; ++k) {
      const Index i = a.pattern.row[k];
      if (triangle != Triangle::upper) add(i, j, a.value[k]);
      if (triangle == Triangle::upper) add(j, i, a.value[k]);
      if (triangle == Triangle::full && i != j) add(j, i, a.value[k]);
    }
  }
  GivenArrays given;
  std::mt19937 random(7);
  given.begin.push_back(base);
  for (auto& column : columns) {
    std::ranges::sort(column);
    if (!sorted) std::ranges::shuffle(column, random);
    for (const auto& [i, value] : column) {
      given.row.push_back(i + base);
      given.value.push_back(value);
    }
    given.begin.push_back(static_cast<Count>(given.row.size()) + base);
  }
  given.short_begin.assign(given.begin.begin(), given.begin.end());
  given.arrays = {n, std::span<const Count>(given.begin), given.row, given.value, triangle, base};
  return given;
}

TEST(SharedPattern, TakesEveryLayout) {
  for (const auto& [name, a] : support::small_matrices()) {
    for (const Triangle triangle : {Triangle::lower, Triangle::upper, Triangle::full}) {
      for (int layout = 0; layout < 16; ++layout) {
        SCOPED_TRACE(name + ", layout " + std::to_string(layout));
        GivenArrays given = arrays_of(a, triangle, layout % 2, layout / 2 % 2 == 0);
        if (layout / 4 % 2 == 1) {
          given.arrays.column_begin = std::span<const Index>(given.short_begin);
        }
        const Arrays how = layout / 8 % 2 == 0 ? Arrays::borrowed : Arrays::copied;
        const SharedPattern pattern(given.arrays, how);
        EXPECT_EQ(pattern.n, a.pattern.n);
        EXPECT_THAT(pattern.column_begin, ElementsAreArray(a.pattern.column_begin));
        EXPECT_THAT(pattern.row, ElementsAreArray(a.pattern.row));
        EXPECT_THAT(pattern.in_order(given.value).span(), ElementsAreArray(a.value));
        EXPECT_NO_THROW(check(pattern));
        if (HasFailure()) return;
      }
    }
  }
}

TEST(SharedPattern, BorrowsArraysThatAreAsOurs) {
  GivenArrays given = arrays_of(support::liu_1990(), Triangle::lower, 0, true);
  const SharedPattern borrowed(given.arrays, Arrays::borrowed);
  EXPECT_EQ(borrowed.column_begin.data(), given.begin.data());
  EXPECT_EQ(borrowed.row.data(), given.row.data());
  EXPECT_TRUE(borrowed.is_in_order());
  given.arrays.column_begin = std::span<const Index>(given.short_begin);
  const SharedPattern by_short_offsets(given.arrays, Arrays::borrowed);
  EXPECT_EQ(by_short_offsets.row.data(), given.row.data());
  const SharedPattern copied(given.arrays, Arrays::copied);
  EXPECT_NE(copied.row.data(), given.row.data());
  EXPECT_TRUE(copied.is_in_order());
}

TEST(SharedPattern, KeepsTheOrderOfSortedOnesThatCountFromOne) {
  const GivenArrays given = arrays_of(support::liu_1990(), Triangle::lower, 1, true);
  EXPECT_TRUE(SharedPattern(given.arrays, Arrays::borrowed).is_in_order());
}

TEST(SharedPattern, WantsAValueForEachEntryOfTheApplication) {
  const GivenArrays given = arrays_of(support::tridiagonal(3), Triangle::full, 0, true);
  const SharedPattern pattern(given.arrays, Arrays::borrowed);
  EXPECT_FALSE(pattern.is_in_order());
  EXPECT_THAT(pattern.in_order(std::vector<double>{1, 2, 2, 3, 4, 4, 5}).span(),
              ElementsAre(1, 2, 3, 4, 5));
  expect_error<InputError>([&] { pattern.in_order(std::vector<double>(5)); },
                           {"5 values for 7 entries"});
}

TEST(SharedPattern, ComparesTheValuesOfBothTriangles) {
  for (const Index base : {0, 1}) {
    const GivenArrays given = arrays_of(support::tridiagonal(3), Triangle::full, base, true);
    const SharedPattern pattern(given.arrays, Arrays::copied);
    const std::string one = std::to_string(1 + base);
    const std::string two = std::to_string(2 + base);
    expect_error<InputError>(
        [&] {
          pattern.in_order(std::vector<double>{1, 2, 2, 3, 4, 9, 5});
        },
        {"(" + two + ", " + one + ") = 4", "(" + one + ", " + two + ") = 9", "not symmetric"});
    for (const double wrong : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
      expect_error<InputError>(
          [&] {
            pattern.in_order(std::vector<double>{1, 2, 2, 3, 4, wrong, 5});
          },
          {"row " + one + ", column " + two + " is not finite"});
    }
    const double close = 4 * (1 + 5e-11);
    EXPECT_THAT(pattern.in_order(std::vector<double>{1, 2, 2, 3, 4, close, 5}).span(),
                ElementsAre(1, 2, 3, 4, 5));
    EXPECT_NO_THROW(pattern.in_order(std::vector<double>{1, 1e-17, 0, 3, 4, 4, 5}));
  }
}

/// Expects that these arrays of two or three columns are refused.
void refuse(std::vector<Count> begin, std::vector<Index> row, Triangle triangle, Index base,
            std::initializer_list<std::string> words) {
  const auto n = static_cast<Index>(begin.size()) - 1;
  expect_error<InputError>(
      [&] {
        SharedPattern({n, std::span<const Count>(begin), row, {}, triangle, base},
                      Arrays::borrowed);
      },
      words);
}

TEST(SharedPattern, RefusesArraysThatAreNoSymmetricMatrix) {
  using enum Triangle;
  refuse({0, 2, 3}, {0, 2, 1}, lower, 0, {"column 0", "row 2", "outside the matrix"});
  refuse({0, 2, 3}, {0, -1, 1}, full, 0, {"column 0", "row -1", "outside the matrix"});
  refuse({1, 3, 4}, {1, 3, 2}, lower, 1, {"column 1", "row 3", "count from 1"});
  refuse({0, 1, 3}, {0, 0, 1}, lower, 0, {"column 1", "row 0", "above the diagonal"});
  refuse({0, 2, 3}, {0, 1, 1}, upper, 0, {"column 0", "row 1", "below the diagonal"});
  refuse({0, 1, 2}, {0, 0}, upper, 0, {"(1, 1) on the diagonal is missing"});
  refuse({0, 1, 1}, {0}, lower, 0, {"(1, 1) on the diagonal is missing"});
  refuse({1, 2, 2}, {1}, full, 1, {"(2, 2) on the diagonal is missing"});
  refuse({0, 3, 4}, {1, 0, 1, 1}, lower, 0, {"(1, 0) is given twice"});
  refuse({0, 1, 4}, {0, 0, 1, 0}, upper, 0, {"(0, 1) is given twice"});
  refuse({0, 2, 3}, {0, 1, 1}, full, 0, {"(1, 0) has no mirror (0, 1)"});
  refuse({1, 2, 4}, {1, 1, 2}, full, 1, {"(1, 2) has no mirror (2, 1)"});
  refuse({0, 2, 4, 6}, {0, 2, 1, 2, 1, 2}, full, 0, {"(2, 0) has no mirror (0, 2)"});
  refuse({0, 2, 1}, {0, 1}, lower, 0, {"descend after column 1"});
  refuse({0, 1, 3}, {0, 1}, lower, 0, {"end with 3", "2 row indices"});
  refuse({1, 2, 3}, {0, 1}, lower, 0, {"begin with 1", "count from 0"});
  refuse({0, 1, 2}, {0, 1}, lower, 1, {"begin with 0", "count from 1"});
  refuse({}, {}, lower, 0, {"order -1"});
}

TEST(SharedPattern, RefusesAnotherBase) {
  const std::vector<Count> begin{2, 3};
  const std::vector<Index> row{2};
  expect_error<UsageError>(
      [&] {
        SharedPattern({1, std::span<const Count>(begin), row, {}, Triangle::lower, 2},
                      Arrays::borrowed);
      },
      {"base", "2"});
}

TEST(SharedPattern, OfNoColumnsIsEmpty) {
  const std::vector<Count> begin{0};
  const SharedPattern pattern({0, std::span<const Count>(begin), {}, {}}, Arrays::borrowed);
  EXPECT_EQ(pattern.entries(), 0);
  EXPECT_EQ(pattern.in_order({}).size(), 0);
}

}  // namespace
}  // namespace espalier::internal
