// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "solver/sample_solver.hpp"
#include "support/expect.hpp"
#include "support/temporary_folder.hpp"

namespace espalier::internal {
namespace {

using support::expect_error;
using testing::ElementsAre;
using testing::ElementsAreArray;

Matrix two_by_two() { return Matrix({0, 2, 3}, {0, 1, 1}, {4, -1, 5}); }

TEST(Matrix, ShowsWhatItWasMadeOf) {
  const Matrix matrix = two_by_two();
  EXPECT_EQ(matrix.size(), 2);
  EXPECT_EQ(matrix.entries(), 3);
  EXPECT_THAT(matrix.column_begin(), ElementsAre(0, 2, 3));
  EXPECT_THAT(matrix.rows(), ElementsAre(0, 1, 1));
  EXPECT_THAT(matrix.values(), ElementsAre(4, -1, 5));
}

TEST(Matrix, RefusesArraysThatAreNoLowerTriangle) {
  expect_error<InputError>([] { Matrix({}, {}, {}); }, {"column_begin"});
  EXPECT_THROW(Matrix({0, 1}, {1}, {1}), InputError) << "the row does not exist";
  EXPECT_THROW(Matrix({0, 1, 2}, {1, 1}, {1, 1}), InputError) << "no diagonal";
  EXPECT_THROW(Matrix({0, 2, 1}, {0, 1}, {1, 1}), InputError) << "offsets that do not ascend";
  EXPECT_THROW(Matrix({0, 3, 4}, {0, 1, 1, 1}, {1, 1, 1, 1}), InputError) << "a row twice";
  EXPECT_THROW(Matrix({0, 1}, {0}, {}), InputError) << "no values";
  EXPECT_THROW(Matrix({0, 1}, {0}, {1, 2}), InputError) << "too many values";
  EXPECT_THROW(Matrix({1, 2}, {0, 0}, {1, 1}), InputError) << "an offset that is not 0";
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(Matrix({0, 1}, {0}, {nan}), InputError);
}

TEST(Matrix, TakesOtherValuesForTheSamePattern) {
  const Matrix matrix = two_by_two();
  const Matrix other = matrix.with_values({1, 2, 3});
  EXPECT_THAT(other.values(), ElementsAre(1, 2, 3));
  EXPECT_THAT(matrix.values(), ElementsAre(4, -1, 5));
  EXPECT_EQ(other.rows().data(), matrix.rows().data()) << "the pattern is shared";
  EXPECT_THROW(matrix.with_values({1, 2}), InputError);
}

TEST(Matrix, ShiftsTheDiagonalAndSharesThePattern) {
  const Matrix matrix = two_by_two();
  const Matrix shifted = matrix.shifted(4);
  EXPECT_THAT(shifted.values(), ElementsAre(0, -1, 1)) << "an entry that becomes zero stays";
  EXPECT_EQ(shifted.rows().data(), matrix.rows().data()) << "the pattern is shared";
  EXPECT_THAT(matrix.values(), ElementsAre(4, -1, 5));
  EXPECT_THAT(shifted.shifted(-4).values(), ElementsAre(4, -1, 5));
}

TEST(Matrix, ShiftsByAMatrixOfAnotherPattern) {
  const Matrix a({0, 2, 3, 4}, {0, 1, 1, 2}, {4, -1, 5, 6});
  const Matrix b({0, 2, 4, 5}, {0, 2, 1, 2, 2}, {1, 0.5, 2, 0.25, 3});
  const Matrix both = a.shifted(0, b);
  EXPECT_THAT(both.column_begin(), ElementsAre(0, 3, 5, 6));
  EXPECT_THAT(both.rows(), ElementsAre(0, 1, 2, 1, 2, 2));
  EXPECT_THAT(both.values(), ElementsAre(4, -1, 0, 5, 0, 6));
  const Matrix shifted = both.shifted(2, b);
  EXPECT_THAT(shifted.values(), ElementsAre(2, -1, -1, 1, -0.5, 0));
  EXPECT_EQ(shifted.rows().data(), both.rows().data()) << "the pattern is shared";
  EXPECT_THAT(a.shifted(2, b).values(), ElementsAreArray(shifted.values()));
}

TEST(Matrix, KeepsItsOrderOfValuesWhenShifted) {
  const std::vector<Count> begin{0, 1, 3};
  const std::vector<Index> row{0, 1, 0};  // the upper triangle, with unsorted rows
  const std::vector<double> value{4, 5, -1};
  const Matrix shifted = Matrix::copy({2, begin, row, value, Triangle::upper}).shifted(1);
  EXPECT_THAT(shifted.values(), ElementsAre(3, -1, 4));
  EXPECT_THAT(shifted.with_values({1, 2, 3}).values(), ElementsAre(1, 3, 2));
}

TEST(Matrix, RefusesShiftsThatAreNotPossible) {
  const Matrix matrix = two_by_two();
  const double largest = std::numeric_limits<double>::max();
  const double infinity = std::numeric_limits<double>::infinity();
  expect_error<UsageError>([&] { (void)matrix.shifted(infinity); }, {"inf", "not finite"});
  expect_error<UsageError>(
      [&] {
        (void)matrix.shifted(1, Matrix({0, 1}, {0}, {1}));
      },
      {"2 rows", "1"});
  expect_error<UsageError>([&] { (void)Matrix::load_pattern("laplace2d:2").shifted(1); },
                           {"no values"});
  expect_error<UsageError>(
      [&] { (void)Matrix::load("laplace2d:2").shifted(1, Matrix::load_pattern("laplace2d:2")); },
      {"no values"});
  const Matrix large = matrix.with_values({1, largest, -largest});
  expect_error<InputError>([&] { (void)large.shifted(largest); },
                           {"row 2, column 2", "counted from 1"});
  expect_error<InputError>([&] { (void)large.shifted(-largest, matrix); }, {"row 1, column 1"});
}

/// Arrays of an application that contain two_by_two().
struct TwoByTwoArrays {
  std::vector<Count> begin{0, 2, 3};
  std::vector<Index> row{0, 1, 1};
  std::vector<double> value{4, -1, 5};

  CompressedColumns all() const { return {2, std::span<const Count>(begin), row, value}; }
};

TEST(MatrixOfArrays, BorrowsWhatIsAsOurs) {
  const TwoByTwoArrays given;
  const Matrix borrowed = Matrix::borrow(given.all());
  EXPECT_EQ(borrowed.column_begin().data(), given.begin.data());
  EXPECT_EQ(borrowed.rows().data(), given.row.data());
  EXPECT_EQ(borrowed.values().data(), given.value.data());
  EXPECT_EQ(borrowed.name(), "");
  EXPECT_THAT(borrowed.multiply(std::vector<double>{1, 2}), ElementsAre(2, 9));
  const std::vector<double> others{1, 2, 3};
  EXPECT_EQ(borrowed.borrow_values(others).values().data(), others.data());
  EXPECT_NE(borrowed.with_values(std::span(others)).values().data(), others.data());
  EXPECT_THAT(borrowed.with_values(others).values(), ElementsAre(1, 2, 3));
  const auto write = [&](std::span<double> to) { std::ranges::copy(others, to.begin()); };
  EXPECT_THAT(borrowed.with_values(write).values(), ElementsAre(1, 2, 3));
}

TEST(MatrixOfArrays, CopiesWhatMayGo) {
  auto given = std::make_unique<TwoByTwoArrays>();
  const Matrix copied = Matrix::copy(given->all());
  given.reset();
  EXPECT_THAT(copied.rows(), ElementsAre(0, 1, 1));
  EXPECT_THAT(copied.values(), ElementsAre(4, -1, 5));
}

TEST(MatrixOfArrays, TakesValuesInTheOrderOfTheArrays) {
  const std::vector<Index> begin{1, 3, 5};
  const std::vector<Index> row{2, 1, 2, 1};
  const std::vector<double> value{-1, 4, 5, -1};
  const Matrix matrix =
      Matrix::borrow({2, std::span<const Index>(begin), row, value, Triangle::full, 1});
  EXPECT_THAT(matrix.values(), ElementsAre(4, -1, 5));
  const std::vector<double> others{1, 2, 3, 1};
  EXPECT_THAT(matrix.with_values(others).values(), ElementsAre(2, 1, 3));
  EXPECT_THAT(matrix.with_values(std::span(others)).values(), ElementsAre(2, 1, 3));
  const auto write = [&](std::span<double> to) { std::ranges::copy(others, to.begin()); };
  EXPECT_THAT(matrix.with_values(write).values(), ElementsAre(2, 1, 3));
  EXPECT_THAT(matrix.borrow_values(others).values(), ElementsAre(2, 1, 3));
  EXPECT_EQ(matrix.with_values(others).rows().data(), matrix.rows().data());
  EXPECT_THROW(matrix.with_values({2, 1, 3}), InputError);
  EXPECT_THROW(matrix.borrow_values(std::span(others).first(3)), InputError);
  EXPECT_THROW(matrix.with_values({1, 2, 3, 4}), InputError);  // a mirror that differs
}

TEST(MatrixOfArrays, MayHaveNoValues) {
  TwoByTwoArrays given;
  given.value.clear();
  const Matrix pattern = Matrix::borrow(given.all());
  EXPECT_TRUE(pattern.values().empty());
  EXPECT_NO_THROW(Analysis{pattern});
  EXPECT_THROW(pattern.multiply(std::vector<double>{1, 2}), UsageError);
  EXPECT_THAT(pattern.with_values({4, -1, 5}).multiply(std::vector<double>{1, 2}),
              ElementsAre(2, 9));
}

TEST(MatrixOfArrays, RefusesWhatIsNotFinite) {
  TwoByTwoArrays given;
  given.value[1] = std::numeric_limits<double>::quiet_NaN();
  expect_error<InputError>([&] { Matrix::borrow(given.all()); }, {"row 1, column 0"});
  expect_error<InputError>([&] { Matrix::copy(given.all()); }, {"row 1, column 0"});
}

TEST(MatrixOfArrays, KeepsTheMemoryOfOneMatrixThatWent) {
  const TwoByTwoArrays given;
  const Matrix pattern = Matrix::borrow(given.all());
  const auto values_of = [&](double first) {
    return pattern.with_values([&](std::span<double> to) { to[0] = first; });
  };
  std::optional<Matrix> first = values_of(1);
  const Matrix second = values_of(2);
  const double* const memory = first->values().data();
  EXPECT_NE(second.values().data(), memory);
  first.reset();
  const Matrix third = values_of(3);
  EXPECT_EQ(third.values().data(), memory);
  EXPECT_EQ(second.values()[0], 2);
  EXPECT_NE(values_of(4).values().data(), memory);
}

/// The application has the upper triangle by unsorted columns. It factorizes the matrix, changes
/// the values, and factorizes again.
TEST(MatrixOfArrays, IsFactoredAgainWithOtherValues) {
  const Matrix known = Matrix::load("laplace2d:12");
  std::vector<Index> begin(known.size() + 1, 0);
  std::vector<Index> row;
  std::vector<double> value;
  for (Index j = 0; j < known.size(); ++j) {  // row j of the lower triangle, from the diagonal on
    for (Index i = j; i >= 0; --i) {
      const auto column = known.rows().subspan(
          known.column_begin()[i], known.column_begin()[i + 1] - known.column_begin()[i]);
      const auto at = std::ranges::find(column, j);
      if (at == column.end()) continue;
      row.push_back(i);
      value.push_back(known.values()[known.column_begin()[i] + (at - column.begin())]);
    }
    begin[j + 1] = static_cast<Index>(row.size());
  }
  const Matrix given =
      Matrix::borrow({known.size(), std::span<const Index>(begin), row, value, Triangle::upper});
  const Runtime runtime(RuntimeOptions{1, "prio"});
  Factor factor(runtime, Analysis(given));
  ASSERT_TRUE(factor.factorize(given).ok());
  support::expect_solves(factor, known);
  for (double& v : value) v *= 3;
  std::vector<double> tripled(known.values().begin(), known.values().end());
  for (double& v : tripled) v *= 3;
  ASSERT_TRUE(factor.factorize(given.borrow_values(value)).ok());
  support::expect_solves(factor, known.with_values(tripled));
}

TEST(Matrix, MultipliesOneVectorOrSeveral) {
  const Matrix matrix = two_by_two();
  EXPECT_THAT(matrix.multiply(std::vector<double>{1, 2}), ElementsAre(2, 9));
  EXPECT_THAT(matrix.multiply(std::vector<double>{1, 2, 1, 0}, 2), ElementsAre(2, 9, 4, -1));
  const std::vector<double> three{1, 2, 3};
  EXPECT_THROW(matrix.multiply(three), UsageError);
  EXPECT_THROW(matrix.multiply(three, 2), UsageError);
}

TEST(Matrix, OfAPatternAloneRefusesToMultiplyAndToBeSaved) {
  const Matrix pattern = Matrix::load_pattern("laplace2d:3");
  EXPECT_EQ(pattern.size(), 9);
  const support::TemporaryFolder folder;
  const std::string file = folder.path("pattern.mtx");
  EXPECT_THROW(pattern.multiply(std::vector<double>(9, 1.0)), Error);
  EXPECT_THROW(pattern.save(file), Error);
  EXPECT_THAT(folder.file_names(), testing::IsEmpty());
}

TEST(Matrix, ComesBackFromItsFile) {
  const support::TemporaryFolder folder;
  for (const char* name : {"matrix.mtx", "matrix.mtx.gz"}) {
    const Matrix matrix = Matrix::load("irregular2d:50");
    matrix.save(folder.path(name));
    const Matrix loaded = Matrix::load(folder.path(name));
    EXPECT_THAT(loaded.rows(), ElementsAreArray(matrix.rows()));
    EXPECT_THAT(loaded.column_begin(), ElementsAreArray(matrix.column_begin()));
    EXPECT_THAT(loaded.values(), ElementsAreArray(matrix.values()));
  }
}

TEST(Matrix, ThatCannotBeLoadedIsNamed) {
  expect_error<InputError>([] { Matrix::load("/nowhere/at-all.mtx"); }, {"/nowhere/at-all.mtx"});
}

TEST(Matrix, IsReadInTheFormatFoundOrSaid) {
  const std::string folder = ESPALIER_TEST_DATA "/";
  EXPECT_EQ(Matrix::load(folder + "five.rsa", FileFormat::harwell_boeing).size(), 5);
  EXPECT_EQ(Matrix::load_pattern(folder + "five.psa", FileFormat::harwell_boeing).size(), 5);
  expect_error<InputError>([&] { Matrix::load(folder + "five.rsa", FileFormat::matrix_market); },
                           {"%%MatrixMarket"});
}

TEST(Matrix, WithoutRowsIsReadAndWritten) {
  const support::TemporaryFolder folder;
  const std::string path = folder.path("none.mtx");
  const Matrix none({0}, {}, {});
  none.save(path);
  const Matrix back = Matrix::load(path);
  EXPECT_EQ(back.size(), 0);
  EXPECT_EQ(back.entries(), 0);
  EXPECT_TRUE(back.multiply({}, 3).empty());
}

TEST(Matrix, IsNamedAfterItsSource) {
  EXPECT_EQ(Matrix::load("laplace2d:3").name(), "laplace2d:3");
  EXPECT_EQ(Matrix::load("laplace2d:3").with_values(std::vector<double>(21, 1.0)).name(),
            "laplace2d:3");
}

}  // namespace
}  // namespace espalier::internal
