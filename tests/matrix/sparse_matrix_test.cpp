// SPDX-License-Identifier: BSD-3-Clause
#include "matrix/sparse_matrix.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "espalier/error.hpp"
#include "support/expect_error.hpp"
#include "support/matrices.hpp"

namespace espalier {
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

/// Each test damages a good matrix in one way and names the message that must tell it.
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
}

}  // namespace
}  // namespace espalier
