// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

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
  EXPECT_THROW(Matrix({0, 1}, {1}, {1}), InputError) << "a row that is not there";
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
  EXPECT_THROW(matrix.with_values({1, 2, std::numeric_limits<double>::infinity()}), InputError);
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

TEST(Matrix, IsNamedAfterItsSource) {
  EXPECT_EQ(Matrix::load("laplace2d:3").name(), "laplace2d:3");
  EXPECT_EQ(Matrix::load("laplace2d:3").with_values(std::vector<double>(21, 1.0)).name(),
            "laplace2d:3");
}

}  // namespace
}  // namespace espalier::internal
