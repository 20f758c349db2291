// SPDX-License-Identifier: BSD-3-Clause

#include "matrix/matrix_market.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "espalier/error.hpp"
#include "support/expect.hpp"
#include "support/matrices.hpp"
#include "support/temporary_folder.hpp"

namespace espalier::internal {
namespace {

using support::expect_error;
using Numbers = std::vector<double>;

const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
const std::string general = "%%MatrixMarket matrix coordinate real general\n";

/// A = [4 -1 0; -1 5 2.5; 0 2.5 6], entry by entry.
const std::string entries = "1 1 4\n2 1 -1\n2 2 5\n3 2 2.5\n3 3 6\n";

class MatrixMarketTest : public testing::Test {
 protected:
  SparseMatrix read(const std::string& text, Values values = Values::required) {
    notes = {};
    TextSource source(folder.write("a.mtx", text), buffer_bytes);
    return read_coordinate_matrix(source, values, notes);
  }

  void expect_matrix(const std::string& text) {
    const SparseMatrix a = read(text);
    EXPECT_NO_THROW(check(a));
    EXPECT_EQ(support::to_dense(a), (Numbers{4, -1, 0, -1, 5, 2.5, 0, 2.5, 6})) << text;
  }

  void expect_refused(const std::string& text, std::initializer_list<std::string> parts,
                      Values values = Values::required) {
    SCOPED_TRACE(text);
    expect_error<InputError>([&] { read(text, values); }, {"a.mtx"});
    expect_error<InputError>([&] { read(text, values); }, parts);
  }

  support::TemporaryFolder folder;
  InputNotes notes;
  std::size_t buffer_bytes = 1 << 20;
};

TEST_F(MatrixMarketTest, ReadsEitherTriangleAndBoth) {
  expect_matrix(symmetric + "3 3 5\n" + entries);
  expect_matrix(symmetric + "3 3 5\n1 1 4\n1 2 -1\n2 2 5\n2 3 2.5\n3 3 6\n");
  expect_matrix(symmetric + "3 3 5\n3 3 6\n2 1 -1\n2 3 2.5\n2 2 5\n1 1 4\n");
  expect_matrix(general + "3 3 7\n1 1 4\n2 1 -1\n1 2 -1\n2 2 5\n3 2 2.5\n2 3 2.5\n3 3 6\n");
  EXPECT_EQ(notes.entries_read, 7);
}

TEST_F(MatrixMarketTest, ReadsThroughBuffersOfAnySize) {
  for (buffer_bytes = 1; buffer_bytes < 40; ++buffer_bytes) {
    expect_matrix(symmetric + "3 3 5\n" + entries);
  }
}

TEST_F(MatrixMarketTest, ReadsIntegers) {
  const SparseMatrix a =
      read("%%MatrixMarket matrix coordinate integer symmetric\n2 2 3\n1 1 4\n2 1 -1\n2 2 +5\n");
  EXPECT_EQ(support::to_dense(a), (Numbers{4, -1, -1, 5}));
}

TEST_F(MatrixMarketTest, ReadsNumbersAsFortranWritesThem) {
  expect_matrix(symmetric + "3 3 5\n 1 1 0.4D+01\n 2 1 -1.\n 2 2 .5e1\n 3 2 +2.5\n 3 3 6.0d0\n");
}

TEST_F(MatrixMarketTest, BannerMayHaveOnePercentSignAndBlanksBeforeIt) {
  const std::string rest =
      "MatrixMarket matrix coordinate real symmetric  \n%----\n3 3 5\n" + entries;
  for (const char* const start : {"%", "%%", " %", "\n \t\n%%", "\xef\xbb\xbf%"}) {
    expect_matrix(start + rest);
  }
  expect_refused("%%%" + rest, {"line 1", "'%%%MatrixMarket"});
  expect_refused("\n\nx", {"line 3", "'x'"});
}

TEST_F(MatrixMarketTest, ReadsOtherNamesOfRealNumbers) {
  for (const char* const field : {"real", "integer", "double", "unsigned-integer", "Double"}) {
    expect_matrix(std::string("%%MatrixMarket matrix coordinate ") + field + " symmetric\n3 3 5\n" +
                  entries);
  }
}

TEST_F(MatrixMarketTest, ReadsAMatrixWithoutRows) {
  for (const std::string& banner : {symmetric, general}) {
    const SparseMatrix a = read(banner + "0 0 0\n");
    EXPECT_EQ(a.pattern.n, 0);
    EXPECT_EQ(a.pattern.column_begin, (std::vector<Count>{0}));
    EXPECT_TRUE(a.pattern.row.empty());
  }
  expect_refused(symmetric + "0 0 1\n1 1 1\n", {"line 3", "row 1 is out of the range"});
}

TEST_F(MatrixMarketTest, AddsTheDiagonalOfAPatternForAnAnalysis) {
  const std::string graph = "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n";
  const std::string both =
      "%%MatrixMarket matrix coordinate pattern general\n3 3 4\n2 1\n1 2\n3 2\n2 3\n";
  const std::string weights = symmetric + "3 3 3\n1 1 1\n2 1 1\n3 2 1\n";
  for (const std::string& text : {graph, both, weights}) {
    const SparseMatrix a = read(text, Values::pattern_only);
    EXPECT_EQ(a.pattern.row, (std::vector<Index>{0, 1, 1, 2, 2}));
    EXPECT_EQ(notes.diagonal_added, text == weights ? 2 : 3);
  }
  expect_refused(weights, {"(2, 2)", "diagonal is missing"});
}

TEST_F(MatrixMarketTest, AsksWhetherTheFileCountsFromZero) {
  expect_refused(symmetric + "2 2 2\n0 0 4\n1 1 4\n",
                 {"line 3", "row 0", "does the file count from 0?"});
  expect_refused(symmetric + "2 2 1\n1 0 4\n",
                 {"line 3", "column 0", "does the file count from 0?"});
  try {
    read(symmetric + "2 2 1\n3 1 4\n");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).find("count from 0"), std::string::npos);
  }
}

TEST_F(MatrixMarketTest, BannerMayBeInAnyCase) {
  expect_matrix("%%matrixmarket MATRIX Coordinate REAL Symmetric\n3 3 5\n" + entries);
}

TEST_F(MatrixMarketTest, CommentsBlankLinesAndLineEndsDoNotMatter) {
  expect_matrix(symmetric + "% comment\n%\n\n3 3 5\n1 1 4\n\n% comment\n2 1 -1\n2 2 5\n" +
                "3 2 2.5\n   \n3 3 6\n\n% end\n\n");
  expect_matrix(symmetric + "3\t3 5\r\n1 1\t4\r\n2 1 -1\r\n2 2 5 \r\n3 2 2.5\r\n3 3 6\r\n");
  expect_matrix(symmetric + "3 3 5\n1 1 4\n2 1 -1\n2 2 5\n3 2 2.5\n3 3 6");
}

TEST_F(MatrixMarketTest, ReadsOneByOne) {
  EXPECT_EQ(read(symmetric + "1 1 1\n1 1 7\n").value, Numbers{7});
}

TEST_F(MatrixMarketTest, SumsDuplicatesAndCountsThem) {
  expect_matrix(symmetric + "3 3 7\n1 1 1\n2 1 -1\n2 2 5\n3 2 2\n3 3 6\n3 2 0.5\n1 1 3\n");
  EXPECT_EQ(notes.duplicates_summed, 2);
  EXPECT_EQ(notes.entries_read, 7);
}

TEST_F(MatrixMarketTest, AveragesMirrorsThatDifferByRoundingAndCountsThem) {
  const SparseMatrix a = read(general + "2 2 4\n1 1 4\n2 1 -1\n1 2 -1.00000000002\n2 2 5\n");
  EXPECT_DOUBLE_EQ(a.value[1], -1.00000000001);
  EXPECT_EQ(notes.mirrors_averaged, 1);
}

TEST_F(MatrixMarketTest, GivesThePatternAloneWhereThatIsAskedFor) {
  const std::string pattern = "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 3\n";
  const SparseMatrix a = read(pattern + "1 1\n2 1\n2 2\n", Values::pattern_only);
  EXPECT_EQ(a.pattern.row, (std::vector<Index>{0, 1, 1}));
  EXPECT_TRUE(a.value.empty());
  EXPECT_TRUE(read(symmetric + "3 3 5\n" + entries, Values::pattern_only).value.empty());
  expect_refused(pattern + "1 1\n2 1\n2 2\n", {"line 1", "pattern", "analysis"});
  expect_refused(pattern + "1 1\n2 1 3\n2 2\n",
                 {"line 4", "a row and a column", "found '2 1 3'", "real instead of pattern"},
                 Values::pattern_only);
}

TEST_F(MatrixMarketTest, RefusesOtherBanners) {
  expect_refused("3 3 5\n", {"line 1", "%%MatrixMarket", "'3 3 5'"});
  expect_refused("%%MatrixMarket matrix coordinate real\n1 1 1\n1 1 1\n", {"line 1"});
  expect_refused("%%MatrixMarket matrix coordinate real symmetric x\n", {"line 1"});
  expect_refused("%%MatrixMarket matrix coordinate complex symmetric\n1 1 1\n1 1 1 0\n",
                 {"line 1", "complex", "real or integer"});
  expect_refused("%%MatrixMarket matrix coordinate real hermitian\n", {"line 1", "hermitian"});
  expect_refused("%%MatrixMarket matrix coordinate real skew-symmetric\n", {"line 1", "skew"});
  expect_refused("%%MatrixMarket matrix array real general\n1 1\n1\n", {"line 1", "array"});
  expect_refused("%%MatrixMarket vector coordinate real general\n", {"line 1", "vector"});
}

TEST_F(MatrixMarketTest, ShowsNoControlCharactersOfABanner) {
  const std::string banner = "%%MatrixMarket matrix ";
  expect_refused(banner + "coordinate real sym\x1b[2J\n", {"line 1", "'sym?[2j'"});
  expect_refused(banner + "coordinate \a general\n", {"line 1", "'?'"});
  expect_refused(banner + std::string("ar\0ray", 6) + " real general\n",
                 {"line 1", "'matrix ar?ray'"});
}

TEST_F(MatrixMarketTest, RefusesBadSizes) {
  expect_refused(symmetric, {"line 1", "ends here", "sizes"});
  expect_refused(symmetric + "3 3\n", {"line 2", "'3 3'"});
  expect_refused(symmetric + "3 3 5 1\n", {"line 2", "'3 3 5 1'"});
  expect_refused(symmetric + "3 3 5.0\n", {"line 2"});
  expect_refused(symmetric + "% c\n3 4 5\n", {"line 3", "not square", "3 rows", "4 columns"});
  expect_refused(symmetric + "-1 -1 0\n", {"line 2", "-1 rows"});
  expect_refused(symmetric + "2147483648 2147483648 1\n1 1 1\n", {"line 2", "2147483648 rows"});
  expect_refused(symmetric + "1 1 -1\n", {"line 2", "-1 entries"});
}

TEST_F(MatrixMarketTest, DoesNotBelieveAHeaderThatCannotBe) {
  expect_refused(symmetric + "3 3 1000000000000000000\n" + entries, {"line 2", "truncated"});
  expect_refused(symmetric + "3 3 99999999999999999999\n" + entries, {"line 2", "truncated"});
  expect_refused(symmetric + "2147483647 2147483647 5\n" + entries, {"(4, 4)", "diagonal"});
  expect_refused(general + "2147483647 2147483647 3\n1 1 1\n2 2 1\n3 3 1\n", {"(4, 4)"});
}

TEST_F(MatrixMarketTest, RefusesFewerOrMoreEntriesThanAnnounced) {
  expect_refused(symmetric + "3 3 6\n" + entries, {"line 7", "truncated", "5 of 6 entries"});
  expect_refused(symmetric + "3 3 4\n" + entries, {"line 7", "4 entries", "'3 3 6'"});
  expect_refused(symmetric + "3 3 5\n" + entries + "\nend\n", {"line 9", "'end'"});
}

TEST_F(MatrixMarketTest, RefusesMalformedEntries) {
  const std::string start = symmetric + "2 2 3\n1 1 4\n";
  for (const char* line : {"2 1", "2", "2 1 x", "2 1 1 0", "2.0 1 1", "2 1 1,5", "2 1 1 %", "x"}) {
    expect_refused(start + line + "\n2 2 5\n", {"line 4", std::string("'") + line + "'"});
  }
}

TEST_F(MatrixMarketTest, RefusesIndicesOutOfRange) {
  const std::string start = symmetric + "2 2 3\n1 1 4\n";
  expect_refused(start + "3 1 1\n2 2 5\n", {"line 4", "row 3", "range 1 to 2"});
  expect_refused(start + "0 1 1\n2 2 5\n", {"line 4", "row 0"});
  expect_refused(start + "1 -1 1\n2 2 5\n", {"line 4", "column -1"});
  expect_refused(start + "1 4294967298 1\n2 2 5\n", {"line 4", "column 4294967298"});
  expect_refused(start + "99999999999999999999 1 1\n2 2 5\n",
                 {"line 4", "row 9223372036854775807"});
}

TEST_F(MatrixMarketTest, RefusesValuesThatAreNotFinite) {
  for (const char* value : {"nan", "inf", "-Infinity", "1e400", "-1D999"}) {
    expect_refused(symmetric + "2 2 3\n1 1 4\n2 1 " + value + "\n2 2 5\n",
                   {"line 4", "(2, 1)", "not finite"});
  }
}

TEST_F(MatrixMarketTest, RefusesUnsymmetricMatricesAndSaysWhere) {
  expect_refused(general + "2 2 4\n1 1 4\n1 2 -1.5\n2 1 -1\n2 2 5\n",
                 {"line 5", "(2, 1) = -1", "(1, 2) = -1.5", "not symmetric"});
  expect_refused(general + "% c\n2 2 3\n1 1 4\n\n1 2 -1.5\n2 2 5\n",
                 {"line 6", "(1, 2)", "no mirror (2, 1)", "change general to symmetric"});
  expect_refused(general + "2 2 4\n1 1 4\n1 2 -1.0000001\n2 1 -1\n2 2 5\n", {"line 5", "differs"});
}

TEST_F(MatrixMarketTest, RefusesBothMirrorsInASymmetricFile) {
  expect_refused(symmetric + "2 2 4\n1 1 4\n2 1 -1\n1 2 -1\n2 2 5\n",
                 {"line 4", "(2, 1)", "(1, 2)", "one triangle"});
}

TEST_F(MatrixMarketTest, RefusesAMissingDiagonal) {
  expect_refused(symmetric + "2 2 2\n1 1 4\n2 1 -1\n", {"(2, 2)", "diagonal", "missing"});
  expect_refused(general + "2 2 3\n2 2 4\n2 1 -1\n1 2 -1\n", {"(1, 1)", "diagonal", "missing"});
  expect_refused(symmetric + "2 2 0\n", {"(1, 1)", "diagonal", "missing"});
}

TEST_F(MatrixMarketTest, WhatIsWrittenReadsBackBitForBit) {
  std::vector<support::NamedMatrix> matrices = support::small_matrices();
  matrices.push_back({"extremes", support::from_entries(3, {{0, 0, 4.9e-324},
                                                            {1, 0, -0.1},
                                                            {1, 1, 1.7976931348623157e308},
                                                            {2, 2, 1 + 0x1p-52}})});
  for (const auto& [name, a] : matrices) {
    for (const char* file : {"out.mtx", "out.mtx.gz"}) {
      SCOPED_TRACE(name + " " + file);
      write_coordinate_matrix(folder.path(file), a);
      TextSource source(folder.path(file));
      const SparseMatrix back = read_coordinate_matrix(source, Values::required, notes);
      EXPECT_EQ(back.pattern.column_begin, a.pattern.column_begin);
      EXPECT_EQ(back.pattern.row, a.pattern.row);
      EXPECT_EQ(back.value, a.value);
    }
  }
  EXPECT_EQ(support::read_file(folder.path("out.mtx.gz")).substr(0, 2), "\x1f\x8b");
}

TEST_F(MatrixMarketTest, WritesTheLowerTriangleByColumns) {
  write_coordinate_matrix(folder.path("out.mtx"), support::tridiagonal(2));

  EXPECT_EQ(support::read_file(folder.path("out.mtx")),
            symmetric + "2 2 3\n1 1 2\n2 1 -1\n2 2 2\n");
}

}  // namespace
}  // namespace espalier::internal
