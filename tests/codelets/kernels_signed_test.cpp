// SPDX-License-Identifier: BSD-3-Clause

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "codelets/flavours.hpp"
#include "codelets/samples.hpp"
#include "support/tolerance.hpp"

namespace espalier::internal {
namespace {

using support::DenseSample;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

std::vector<Index> orders() {
  std::vector<Index> all(71);
  std::iota(all.begin(), all.end(), 0);
  all.insert(all.end(), {100, 200, 300, 500});
  return all;
}

/// Returns columns of a matrix of order n at the ends and around borders of tiles and halves.
std::set<Index> columns_to_test(Index n) {
  std::set<Index> columns;
  for (const Index near : {0, 4, 8, 24, 64, (n / 2 + 7) / 8 * 8, n - 1}) {
    for (const Index column : {near - 1, near, near + 1}) {
      if (column >= 0 && column < n) columns.insert(column);
    }
  }
  if (n > 70) return columns;
  for (Index j = 0; j < n; ++j) columns.insert(j);
  return columns;
}

/// A matrix that is dominated by its diagonal, whose signs are J. Every pivot of A = L J Lᵀ then
/// has the sign of its column.
struct SignedSample {
  std::vector<double> signs;
  DenseSample a;

  SignedSample(Index n, std::vector<double> given)
      : signs(std::move(given)), a(DenseSample::dominant_lower(n, static_cast<std::uint64_t>(n))) {
    for (Index j = 0; j < n; ++j) a(j, j) *= signs[j];
  }
  explicit SignedSample(Index n) : SignedSample(n, support::random_signs(n, 9)) {}

  Index order() const { return static_cast<Index>(signs.size()); }
  /// Makes a(column, column) the pivot of the column.
  void set_pivot(Index column, double pivot) {
    for (Index j = 0; j < column; ++j) a(column, j) = 0;
    a(column, column) = pivot;
  }
};

class SignedPotrf : public support::KernelTest {
 protected:
  void check_product(const SignedSample& sample) const {
    const Index n = sample.order();
    SCOPED_TRACE(n);
    DenseSample l = sample.a;
    ASSERT_EQ(kernels().signed_potrf(l.view(), {sample.signs.data()}).first_bad, -1);
    EXPECT_TRUE(l.guards_intact() && l.upper_hidden());
    DenseSample product(n, n);
    for (Index j = 0; j < n; ++j) {
      EXPECT_GT(l(j, j), 0);
      for (Index i = j; i < n; ++i) product(i, j) = 0;
      for (Index k = 0; k <= j; ++k) {
        const double right = sample.signs[k] * l(j, k);
        for (Index i = j; i < n; ++i) product(i, j) += l(i, k) * right;
      }
    }
    EXPECT_TRUE(support::close_lower(product.view(), sample.a.view(), n));
  }

  /// Expects that the pivot is replaced, and that its column is the only one that is marked.
  void check_replacement(const SignedSample& sample, Index column, double least) const {
    const Index n = sample.order();
    const double replacement = n + 1;
    SignedSample fixed = sample;
    fixed.set_pivot(column, sample.signs[column] * replacement);
    std::vector<std::uint8_t> replaced(static_cast<std::size_t>(n), 7);
    std::vector<std::uint8_t> expected_marks = replaced;
    expected_marks[column] = 1;
    DenseSample actual = sample.a;
    const SignedPivots pivots{sample.signs.data(), least, replacement, replaced.data()};
    ASSERT_EQ(kernels().signed_potrf(actual.view(), pivots).first_bad, -1);
    EXPECT_EQ(replaced, expected_marks);
    ASSERT_EQ(kernels().signed_potrf(fixed.a.view(), {sample.signs.data()}).first_bad, -1);
    EXPECT_TRUE(actual.same_bits(fixed.a));
  }

  void check_failure(const SignedSample& sample, Index column, double least,
                     double replacement) const {
    DenseSample a = sample.a;
    const SignedPivots pivots{sample.signs.data(), least, replacement};
    EXPECT_EQ(kernels().signed_potrf(a.view(), pivots).first_bad, column);
    EXPECT_TRUE(a.guards_intact() && a.upper_hidden());
  }
};

TEST_P(SignedPotrf, OfThreeColumnsByHand) {
  DenseSample a(3, 3);
  const double lower[] = {4, 12, -16, 35, -53, 48};
  const double* next = lower;
  for (Index j = 0; j < 3; ++j) {
    for (Index i = j; i < 3; ++i) a(i, j) = *next++;
  }
  const double signs[] = {1, -1, 1};
  ASSERT_EQ(kernels().signed_potrf(a.view(), {signs}).first_bad, -1);
  const double expected[] = {2, 6, -8, 1, 5, 3};
  next = expected;
  for (Index j = 0; j < 3; ++j) {
    for (Index i = j; i < 3; ++i) EXPECT_TRUE(support::close(a(i, j), *next++, 10, 3));
  }
}

TEST_P(SignedPotrf, MultipliedOutGivesTheMatrixBack) {
  for (const Index n : orders()) {
    check_product(SignedSample(n));
    check_product({n, std::vector<double>(static_cast<std::size_t>(n), -1.0)});
    check_product({n, std::vector<double>(static_cast<std::size_t>(n), 1.0)});
  }
}

TEST_P(SignedPotrf, EqualsTheReference) {
  for (const Index n : orders()) {
    SignedSample sample(n);
    DenseSample expected = sample.a;
    ASSERT_EQ(reference::kernels.signed_potrf(expected.view(), {sample.signs.data()}).first_bad,
              -1);
    ASSERT_EQ(kernels().signed_potrf(sample.a.view(), {sample.signs.data()}).first_bad, -1);
    EXPECT_TRUE(support::close_lower(sample.a.view(), expected.view(), n)) << n;
  }
}

TEST_P(SignedPotrf, WithPositiveSignsEqualsPotrf) {
  for (const Index n : orders()) {
    const std::vector<double> ones(static_cast<std::size_t>(n), 1.0);
    SignedSample sample(n, ones);
    DenseSample expected = sample.a;
    ASSERT_EQ(kernels().potrf(expected.view()).first_bad, -1);
    ASSERT_EQ(kernels().signed_potrf(sample.a.view(), {ones.data()}).first_bad, -1);
    EXPECT_TRUE(support::close_lower(sample.a.view(), expected.view(), n)) << n;
  }
}

/// L(i, j) = 2^(j - i), so A(i, j) = 2^(-i - j) Σ J(k) 4^k for k <= j, times 2^e near the ends of
/// the range of double.
TEST_P(SignedPotrf, KeepsItsDigitsAtTheEndsOfTheRange) {
  constexpr Index n = 9;
  const std::vector<double> signs = support::random_signs(n, 2);
  for (const int exponent : {-1004, -498, 0, 498, 1004}) {
    DenseSample a(n, n);
    double sum = 0;
    for (Index j = 0; j < n; ++j) {
      sum += signs[j] * std::ldexp(1, 2 * j);
      for (Index i = j; i < n; ++i) a(i, j) = std::ldexp(sum, exponent - i - j);
    }
    ASSERT_EQ(kernels().signed_potrf(a.view(), {signs.data()}).first_bad, -1);
    for (Index j = 0; j < n; ++j) {
      for (Index i = j; i < n; ++i) {
        const double entry = std::ldexp(a(i, j), -exponent / 2);
        EXPECT_TRUE(support::close(entry, std::ldexp(1, j - i), 1, n)) << i << ", " << j;
      }
    }
  }
}

/// Rows and columns are scaled by powers of two, so that entries are graded from 1e-150 to 1e150.
/// The rows of L are then scaled likewise.
TEST_P(SignedPotrf, OfGradedMatricesKeepsItsDigits) {
  for (const Index n : {9, 33, 130}) {
    SCOPED_TRACE(n);
    SignedSample sample(n);
    SignedSample graded = sample;
    std::mt19937_64 generator(5);
    std::vector<int> exponent(static_cast<std::size_t>(n));
    for (int& e : exponent) e = static_cast<int>(generator() % 499) - 249;
    for (Index j = 0; j < n; ++j) {
      for (Index i = j; i < n; ++i) {
        graded.a(i, j) = std::ldexp(graded.a(i, j), exponent[i] + exponent[j]);
      }
    }
    ASSERT_EQ(kernels().signed_potrf(sample.a.view(), {sample.signs.data()}).first_bad, -1);
    ASSERT_EQ(kernels().signed_potrf(graded.a.view(), {sample.signs.data()}).first_bad, -1);
    for (Index j = 0; j < n; ++j) {
      for (Index i = j; i < n; ++i) graded.a(i, j) = std::ldexp(graded.a(i, j), -exponent[i]);
    }
    EXPECT_TRUE(support::close_lower(graded.a.view(), sample.a.view(), n));
  }
}

TEST_P(SignedPotrf, NamesTheColumnWhosePivotFails) {
  for (const Index n : {1, 9, 33, 70, 300}) {
    for (const Index column : columns_to_test(n)) {
      SCOPED_TRACE(testing::Message() << "column " << column << " of " << n);
      SignedSample sample(n);
      const double sign = sample.signs[column];
      for (const double pivot : {-sign, -1e300 * sign, 0.0, 0.25 * sign}) {
        sample.set_pivot(column, pivot);
        check_failure(sample, column, 0.25, 0);
      }
      for (const double pivot : {not_a_number, infinity, -infinity}) {
        sample.set_pivot(column, pivot);
        check_failure(sample, column, 0, 0);
        check_failure(sample, column, 0, 1);
      }
    }
  }
}

TEST_P(SignedPotrf, ReplacesPivots) {
  for (const Index n : {1, 9, 33, 70, 300}) {
    for (const Index column : columns_to_test(n)) {
      SCOPED_TRACE(testing::Message() << "column " << column << " of " << n);
      SignedSample sample(n);
      const double sign = sample.signs[column];
      for (const double pivot : {-sign, 0.0, 0.25 * sign}) {
        sample.set_pivot(column, pivot);
        check_replacement(sample, column, 0.25);
      }
    }
  }
}

TEST_P(SignedPotrf, AcceptsPivotsAboveTheLeast) {
  SignedSample sample(9);
  const double least = 0.25;
  sample.set_pivot(8, sample.signs[8] * std::nextafter(least, 1));
  std::vector<std::uint8_t> replaced(9, 0);
  const SignedPivots pivots{sample.signs.data(), least, 1, replaced.data()};
  EXPECT_EQ(kernels().signed_potrf(sample.a.view(), pivots).first_bad, -1);
  EXPECT_EQ(replaced, std::vector<std::uint8_t>(9, 0));
}

TEST_P(SignedPotrf, ReplacesAllPivotsOfAZeroMatrix) {
  for (const Index n : {5, 70, 300}) {
    const std::vector<double> signs = support::random_signs(n, 1);
    for (const bool marks : {false, true}) {
      DenseSample a(n, n);
      for (Index j = 0; j < n; ++j) {
        for (Index i = j; i < n; ++i) a(i, j) = 0;
      }
      std::vector<std::uint8_t> replaced(static_cast<std::size_t>(n), 0);
      const SignedPivots pivots{signs.data(), 0, 0.25, marks ? replaced.data() : nullptr};
      ASSERT_EQ(kernels().signed_potrf(a.view(), pivots).first_bad, -1);
      EXPECT_EQ(replaced, std::vector<std::uint8_t>(replaced.size(), marks ? 1 : 0));
      for (Index j = 0; j < n; ++j) {
        EXPECT_EQ(a(j, j), 0.5);
        for (Index i = j + 1; i < n; ++i) EXPECT_EQ(a(i, j), 0);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Flavours, SignedPotrf, testing::ValuesIn(support::all_flavours()),
                         support::name_of_flavour);

class SignedPotrfWithoutBlas : public support::KernelTest {};

/// Multiplication by a sign is exact, and the order of all operations is that of potrf.
TEST_P(SignedPotrfWithoutBlas, WithPositiveSignsHasTheBitsOfPotrf) {
  for (const Index n : orders()) {
    const std::vector<double> ones(static_cast<std::size_t>(n), 1.0);
    SignedSample sample(n, ones);
    DenseSample expected = sample.a;
    ASSERT_EQ(kernels().potrf(expected.view()).first_bad, -1);
    ASSERT_EQ(kernels().signed_potrf(sample.a.view(), {ones.data()}).first_bad, -1);
    EXPECT_TRUE(sample.a.same_bits(expected)) << n;
  }
}

INSTANTIATE_TEST_SUITE_P(Flavours, SignedPotrfWithoutBlas,
                         testing::ValuesIn(support::flavours_without_blas()),
                         support::name_of_flavour);

}  // namespace
}  // namespace espalier::internal
