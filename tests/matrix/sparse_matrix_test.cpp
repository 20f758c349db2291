// SPDX-License-Identifier: BSD-3-Clause

#include "matrix/sparse_matrix.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "espalier/error.hpp"
#include "support/expect.hpp"
#include "support/matrices.hpp"

namespace espalier::internal {
namespace {

using support::expect_error;
using Indices = std::vector<Index>;

TEST(Permutation, OfNoNumbersIsEmpty) {
  const Permutation none = Permutation::identity(0);

  EXPECT_EQ(none.size(), 0);
  EXPECT_EQ(Permutation::from_old_of({}).size(), 0);
  EXPECT_NO_THROW(check(none));
}

TEST(Permutation, IdentityMovesNothing) {
  const Permutation identity = Permutation::identity(4);

  EXPECT_EQ(identity.new_of, (Indices{0, 1, 2, 3}));
  EXPECT_EQ(identity.old_of, (Indices{0, 1, 2, 3}));
}

TEST(Permutation, FromOldNumbersMakesTheInverse) {
  const Permutation permutation = Permutation::from_old_of({2, 0, 3, 1});

  EXPECT_EQ(permutation.new_of, (Indices{1, 3, 0, 2}));
  EXPECT_NO_THROW(check(permutation));
}

TEST(Permutation, RefusesWhatIsNone) {
  expect_error<InputError>(
      [] {
        Permutation::from_old_of({0, 3, 1});
      },
      {"3 at position 1", "outside 0..2"});
  expect_error<InputError>([] { Permutation::from_old_of({0, -1, 1}); }, {"-1 at position 1"});
  expect_error<InputError>(
      [] {
        Permutation::from_old_of({2, 0, 2});
      },
      {"2 twice", "positions 0 and 2"});
}

TEST(Permutation, ComposeAppliesTheFirstThenTheSecond) {
  const Permutation first = Permutation::from_old_of({2, 0, 1});   // new numbers 1, 2, 0
  const Permutation second = Permutation::from_old_of({0, 2, 1});  // new numbers 0, 2, 1

  const Permutation both = compose(first, second);

  EXPECT_EQ(both.new_of, (Indices{2, 1, 0}));
  EXPECT_NO_THROW(check(both));
}

TEST(Permutation, ComposeRefusesDifferentSizes) {
  expect_error<UsageError>([] { compose(Permutation::identity(2), Permutation::identity(3)); },
                           {"2", "3"});
}

TEST(Permutation, CheckFindsEachKindOfDamage) {
  const Permutation good = Permutation::from_old_of({2, 0, 1});

  Permutation shorter = good;
  shorter.new_of.pop_back();
  expect_error<InputError>([&] { check(shorter); }, {"2 new numbers for 3"});

  Permutation outside = good;
  outside.new_of[1] = 3;
  expect_error<InputError>([&] { check(outside); }, {"moves 1 to 3"});

  Permutation no_inverse = good;
  std::swap(no_inverse.new_of[0], no_inverse.new_of[1]);
  expect_error<InputError>([&] { check(no_inverse); }, {"moves 0 to 2"});
}

}  // namespace
namespace {

using support::expect_error;

TEST(SparseMatrix, CheckAcceptsGoodMatrices) {
  EXPECT_NO_THROW(check(LowerPattern{}));
  for (const auto& [name, matrix] : support::small_matrices()) {
    SCOPED_TRACE(name);
    EXPECT_NO_THROW(check(matrix));
  }
}

TEST(SparseMatrix, ColumnGivesTheRowsOfOneColumn) {
  const SparseMatrix a = support::arrow_head_last(4);

  ASSERT_EQ(a.pattern.column(1).size(), 2u);
  EXPECT_EQ(a.pattern.column(1)[0], 1);
  EXPECT_EQ(a.pattern.column(1)[1], 3);
  EXPECT_EQ(a.pattern.entries(), 7);
}

/// Each test damages a good matrix in one way and gives the expected message.
class DamagedMatrix : public testing::Test {
 protected:
  void expect_refused(std::initializer_list<std::string> parts) {
    expect_error<InputError>([this] { check(matrix); }, parts);
  }

  SparseMatrix matrix = support::arrow_head_first(5);
  LowerPattern& pattern = matrix.pattern;
};

TEST_F(DamagedMatrix, TooFewOffsets) {
  pattern.column_begin.pop_back();
  expect_refused({"order 5", "5 column offsets"});
}

TEST_F(DamagedMatrix, FirstOffset) {
  pattern.column_begin[0] = 1;
  expect_refused({"begin with 1"});
}

TEST_F(DamagedMatrix, DescendingOffsets) {
  std::swap(pattern.column_begin[2], pattern.column_begin[3]);
  expect_refused({"descend after column 2"});
}

TEST_F(DamagedMatrix, LastOffset) {
  pattern.row.pop_back();
  expect_refused({"end with 9", "8 row indices"});
}

TEST_F(DamagedMatrix, MissingDiagonal) {
  pattern.row[pattern.column_begin[2]] = 4;
  expect_refused({"column 2 does not begin with its diagonal"});
}

TEST_F(DamagedMatrix, EmptyColumn) {
  pattern.column_begin[4] = pattern.column_begin[5];
  pattern.column_begin[5] = pattern.entries();
  pattern.column_begin[3] = pattern.column_begin[4];
  expect_refused({"column 3 does not begin"});
}

TEST_F(DamagedMatrix, EntryAboveTheDiagonal) {
  pattern.row[pattern.column_begin[2]] = 1;
  expect_refused({"column 2", "above the diagonal", "row 1"});
}

TEST_F(DamagedMatrix, RepeatedRow) {
  pattern.row[2] = pattern.row[1];
  expect_refused({"column 0 do not ascend at row 1"});
}

TEST_F(DamagedMatrix, RowBelowTheLast) {
  pattern.row[4] = 5;
  expect_refused({"column 0", "row 5", "order 5"});
}

TEST_F(DamagedMatrix, TooFewValues) {
  matrix.value.pop_back();
  expect_refused({"8 values for 9 entries"});
}

TEST_F(DamagedMatrix, ValuesThatAreNotFinite) {
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity()}) {
    matrix.value[3] = bad;
    expect_refused({"row 3, column 0", "not finite"});
  }
  matrix.value[3] = 1;
  for (double& value : matrix.value) {
    const double before = std::exchange(value, std::numeric_limits<double>::quiet_NaN());
    expect_refused({"not finite"});
    value = before;
  }
}

}  // namespace
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

TEST(Norms, TheErrorIsTheSameWithoutAResidual) {
  const SparseMatrix a = support::liu_1990();
  const double norm = norm_inf(a);
  for (Index count = 1; count <= 9; ++count) {
    const std::size_t entries = 10 * static_cast<std::size_t>(count);
    const Vector all = random_vector(2 * entries);
    const std::span<const double> x(all.data(), entries), b(all.data() + entries, entries);
    EXPECT_EQ(residual_error(a, norm, x, b, count), worst_error(a, x, b, count));
  }
  Vector x(50, 1);
  const Vector b = random_vector(50);
  x[3] = nan_value;
  EXPECT_TRUE(std::isnan(residual_error(a, norm, x, b, 5)));
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

TEST(BackwardError, IsRightWhereTheScaleOverflows) {
  const Vector x{1e308, 1e307, 0};
  EXPECT_DOUBLE_EQ(backward_error(4, x, Vector{0, 0, 0}, Vector{1, 1e300, 0}), 1e300 / 4 / 1e308);
  EXPECT_DOUBLE_EQ(backward_error(1, x, Vector{1e308, 0, 0}, Vector{0, 1e300, 0}), 0.5e-8);
  EXPECT_DOUBLE_EQ(backward_error(1e308, x, Vector{1, 1, 1}, Vector{1e308, 0, 0}), 1e-308);
}

TEST(BackwardError, IsFiniteWhereOnlyTheNormOverflows) {
  const SparseMatrix a{{2, {0, 2, 3}, {0, 1, 1}}, {1.5e308, 1e308, 1.5e308}};
  EXPECT_EQ(worst_error(a, Vector{0x1p-900, 0}, Vector{1.5e308 * 0x1p-900, 1e308 * 0x1p-900}), 0);
  constexpr double largest = std::numeric_limits<double>::max();
  EXPECT_DOUBLE_EQ(worst_error(a, Vector{0x1p-900, 0}, Vector{1.5e308 * 0x1p-900, 0}),
                   1 / (largest / 1e308 + 1.5));
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

TEST(MaxAbs, FindsTheLargestAndNanAtEveryPlace) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(max_abs({}), 0);
  for (std::size_t size = 1; size < 20; ++size) {
    for (std::size_t k = 0; k < size; ++k) {
      std::vector<double> values(size, -2.0);
      values[k] = -3;
      EXPECT_EQ(max_abs(values), 3);
      values[k] = -infinity;
      EXPECT_EQ(max_abs(values), infinity);
      values[k] = nan;
      EXPECT_TRUE(std::isnan(max_abs(values)));
    }
  }
}

}  // namespace
}  // namespace espalier::internal
