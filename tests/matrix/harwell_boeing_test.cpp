// SPDX-License-Identifier: BSD-3-Clause

#include "matrix/harwell_boeing.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "espalier/error.hpp"
#include "support/expect.hpp"
#include "support/matrices.hpp"
#include "support/temporary_folder.hpp"

namespace espalier::internal {
namespace {

using support::expect_error;

const std::string sizes_of_three = "             3             3             5             0\n";
const std::string formats = "(4I3)           (5I3)           (3F6.2)             \n";

/// The parts of a file with A = [4 -1 0; -1 5 2.5; 0 2.5 6].
struct Parts {
  std::string title =
      "A title                                                                 KEY\n";
  std::string line_counts =
      "             4             1             1             2             0\n";
  std::string type = "RSA           ";
  std::string sizes = sizes_of_three;
  std::string format_line = formats;
  std::string pointers = "  1  3  5  6\n";
  std::string rows = "  1  2  2  3  3\n";
  std::string values = "  4.00 -1.00  5.00\n  2.50  6.00\n";
  std::string rest;

  /// Sets the numbers of lines of pointers, rows, values and right-hand sides.
  void count(int pointer_lines, int row_lines, int value_lines, int others = 0) {
    line_counts.clear();
    for (const int lines : {pointer_lines + row_lines + value_lines + others, pointer_lines,
                            row_lines, value_lines, others}) {
      const std::string number = std::to_string(lines);
      line_counts += std::string(14 - number.size(), ' ') + number;
    }
    line_counts += "\n";
  }

  std::string text() const {
    return title + line_counts + type + sizes + format_line + pointers + rows + values + rest;
  }
};

class HarwellBoeingTest : public testing::Test {
 protected:
  SparseMatrix read(const std::string& text, Values values = Values::required) {
    notes = {};
    TextSource source(folder.write("a.rsa", text), buffer_bytes);
    return read_harwell_boeing(source, values, notes);
  }

  void expect_matrix(const Parts& parts) {
    const SparseMatrix a = read(parts.text());
    EXPECT_NO_THROW(check(a));
    EXPECT_EQ(support::to_dense(a), (std::vector<double>{4, -1, 0, -1, 5, 2.5, 0, 2.5, 6}));
  }

  void expect_refused(const Parts& parts, std::initializer_list<std::string> message_parts,
                      Values values = Values::required) {
    SCOPED_TRACE(parts.text());
    expect_error<InputError>([&] { read(parts.text(), values); }, {"a.rsa"});
    expect_error<InputError>([&] { read(parts.text(), values); }, message_parts);
  }

  support::TemporaryFolder folder;
  InputNotes notes;
  std::size_t buffer_bytes = 1 << 20;
  Parts parts;
};

TEST_F(HarwellBoeingTest, ReadsASymmetricMatrixThroughBuffersOfAnySize) {
  for (const std::size_t bytes : {1, 2, 5, 11, 64, 1000}) {
    buffer_bytes = bytes;
    expect_matrix(parts);
  }
  EXPECT_EQ(notes.entries_read, 5);
}

TEST_F(HarwellBoeingTest, ReadsTheUpperTriangle) {
  parts.pointers = "  1  2  4  6\n";
  parts.rows = "  1  1  2  2  3\n";
  expect_matrix(parts);
}

TEST_F(HarwellBoeingTest, ReadsBothTrianglesOfAnUnsymmetricType) {
  parts.type = "RUA           ";
  parts.sizes = "             3             3             7             0\n";
  parts.pointers = "  1  3  6  8\n";
  parts.count(1, 2, 3);
  parts.rows = "  1  2  1  2  3\n  2  3\n";
  parts.values = "  4.00 -1.00 -1.00\n  5.00  2.50  2.50\n  6.00\n";
  expect_matrix(parts);
  EXPECT_EQ(notes.entries_read, 7);
}

TEST_F(HarwellBoeingTest, ReadsRutherfordBoeingHeaders) {
  parts.line_counts = "             4             1             1             2\n";
  parts.type = "rsa           ";
  expect_matrix(parts);
}

TEST_F(HarwellBoeingTest, ReadsIntegersAndWindowsLineEnds) {
  parts.count(1, 1, 1);
  parts.type = "ISA           ";
  parts.format_line = "(4I3)           (5I3)           (5I2)               \r\n";
  parts.values = " 4-1 5 2 6\r\n";
  const SparseMatrix a = read(parts.text());
  EXPECT_EQ(a.value, (std::vector<double>{4, -1, 5, 2, 6}));
}

TEST_F(HarwellBoeingTest, PassesOverRightHandSides) {
  parts.count(1, 1, 2, 1);
  parts.format_line =
      "(4I3)           (5I3)           (3F6.2)             (3F6.2)\n"
      "F                          1             0\n";
  parts.rest = "  1.00  2.00  3.00\n";
  expect_matrix(parts);
  parts.rest.clear();
  expect_refused(parts, {"line 9", "right-hand sides"});
}

TEST_F(HarwellBoeingTest, BlanksAtTheEndOfALineMayBeMissing) {
  parts.values = "  4.00 -1.00  5.00\n  2.50  6.00   \n";
  expect_matrix(parts);
  parts.values = "4.    -1.   5.\n2.50  6.\n";
  expect_matrix(parts);
}

TEST_F(HarwellBoeingTest, SumsDuplicates) {
  parts.count(1, 2, 2);
  parts.sizes = "             3             3             6             0\n";
  parts.pointers = "  1  4  6  7\n";
  parts.rows = "  1  2  2  2  3\n  3\n";
  parts.values = "  4.00 -0.50 -0.50\n  5.00  2.50  6.00\n";
  expect_matrix(parts);
  EXPECT_EQ(notes.duplicates_summed, 1);
}

TEST_F(HarwellBoeingTest, ReadsPatternsForAnAnalysisOnly) {
  parts.count(1, 1, 0);
  parts.type = "PSA           ";
  parts.values.clear();
  parts.format_line = "(4I3)           (5I3)\n";
  const SparseMatrix a = read(parts.text(), Values::pattern_only);
  EXPECT_EQ(a.pattern.row, (std::vector<Index>{0, 1, 1, 2, 2}));
  EXPECT_TRUE(a.value.empty());
  EXPECT_TRUE(read(Parts().text(), Values::pattern_only).value.empty());
  expect_refused(parts, {"line 3", "pattern", "analysis"});
}

TEST_F(HarwellBoeingTest, RefusesOtherTypes) {
  for (const std::string type : {"CSA", "RSE", "RZA", "RHA", "RRA", "QSA", "RS", "RSAX", "3"}) {
    parts.type = type + std::string(14 - type.size(), ' ');
    expect_refused(parts, {"line 3", "'" + type + "'", "RSA"});
  }
}

TEST_F(HarwellBoeingTest, RefusesBadHeaders) {
  Parts bad;
  bad.line_counts = "none\n";
  expect_refused(bad, {"line 2", "'none'"});
  bad = {};
  bad.sizes = "             3             4             5             0\n";
  expect_refused(bad, {"line 3", "not square", "4 columns"});
  bad.sizes = "            -1            -1             0             0\n";
  expect_refused(bad, {"line 3", "-1 rows"});
  bad.sizes = "    2147483648    2147483648             5             0\n";
  expect_refused(bad, {"line 3", "2147483648 rows"});
  bad.sizes = "             3             3 1000000000000             0\n";
  expect_refused(bad, {"line 3", "truncated"});
  bad.sizes = "    2147483647    2147483647             5             0\n";
  expect_refused(bad, {"line 3", "truncated"});
  bad.sizes = "             3\n";
  expect_refused(bad, {"line 3", "rows, columns and entries"});
  bad.sizes = sizes_of_three;
  bad.count(2, 1, 2);
  expect_refused(bad, {"line 4", "2 lines of column pointers", "take 1"});
  bad.count(1, 2, 2);
  expect_refused(bad, {"line 4", "2 lines of row indices", "take 1"});
  bad.count(1, 1, 1);
  expect_refused(bad, {"line 4", "1 lines of values", "take 2"});
  bad.line_counts = "             4            -1             1             4             0\n";
  expect_refused(bad, {"line 4", "-1 lines"});
  bad.line_counts = "             4             1             1             2            -1\n";
  expect_refused(bad, {"line 2", "-1 lines of right-hand sides"});
  bad.line_counts = " 9223372036854775807 9223372036854775807 2 1 0\n";
  expect_refused(bad, {"line 4", "9223372036854775807 lines"});
  bad = {};
  bad.format_line = "(4I3)           (A3)            (3F6.2)\n";
  expect_refused(bad, {"line 4", "row indices", "'(A3)'"});
  bad.format_line = "(4I3)           (5I3)\n";
  expect_refused(bad, {"line 4", "values", "found no parentheses"});
}

TEST_F(HarwellBoeingTest, RefusesBadPointers) {
  parts.pointers = "  0  3  5  6\n";
  expect_refused(parts, {"line 5", "pointer 1 is 0"});
  parts.pointers = "  1  5  3  6\n";
  expect_refused(parts, {"line 5", "pointer 3 is 3", "5 to 6"});
  parts.pointers = "  1  3  7  6\n";
  expect_refused(parts, {"line 5", "pointer 3 is 7"});
  parts.pointers = "  1  3  5  5\n";
  expect_refused(parts, {"line 5", "4 entries", "announces 5"});
  parts.pointers = "  1  3  x  6\n";
  expect_refused(parts, {"line 5", "column pointers", "'x'"});
}

TEST_F(HarwellBoeingTest, RefusesBadRowsAndValues) {
  Parts bad;
  bad.rows = "  1  2  2  4  3\n";
  expect_refused(bad, {"line 6", "row index 4", "range 1 to 3"});
  bad.rows = "  1  0  2  3  3\n";
  expect_refused(bad, {"line 6", "row index 0"});
  bad.rows = "  1  2  2  3\n";
  expect_refused(bad, {"line 6", "found 4"});
  bad = {};
  bad.values = "  4.00   NaN  5.00\n  2.50  6.00\n";
  expect_refused(bad, {"line 7", "(2, 1)", "not finite"});
  bad.values = "  4.00 -1.00  5.00\n  2.50  6.0\n";
  expect_refused(bad, {"line 8", "5 of the 6 characters", "'  6.0'"});
  bad.values = "  4.00 -1.00  5.00  7\n  2.50  6.00\n";
  expect_refused(bad, {"line 7", "3 values", "'7'"});
  bad.values = "  4.00 -1.00  5.00\n  2.50  6.00  0.00\n";
  expect_refused(bad, {"line 8", "2 values", "'0.00'"});
  bad.values = "  4.00 -1.0x  5.00\n  2.50  6.00\n";
  expect_refused(bad, {"line 7", "'-1.0x'"});
}

TEST_F(HarwellBoeingTest, RefusesTruncatedFilesAndTrailingText) {
  const std::string whole = parts.text();
  for (std::size_t kept = 1; kept + 1 < whole.size(); ++kept) {
    const std::string text = whole.substr(0, kept);
    EXPECT_THROW(read(text), InputError) << kept;
  }
  parts.rest = "  1.00\n";
  expect_refused(parts, {"line 9", "expected the end", "'  1.00'"});
}

TEST_F(HarwellBoeingTest, RefusesMatricesThatAreNotSymmetric) {
  parts.type = "RUA           ";
  expect_refused(parts, {"a.rsa", "(2, 1)", "no mirror (1, 2)", "change U to S"});
  parts = {};
  parts.rows = "  2  3  2  3  3\n";
  expect_refused(parts, {"(1, 1)", "diagonal", "missing"});
}

/// The formats are those of NIST's cylinder shells, files s1rmq4m1 and others.
TEST_F(HarwellBoeingTest, ReadsFormatsWithBlanksAndGroups) {
  parts.format_line = "(1X,4I3)        (1X,5I3)        (3(1P,E11.4))       \n";
  parts.pointers = "   1  3  5  6\n";
  parts.rows = "   1  2  2  3  3\n";
  parts.values = " 4.0000E+00-1.0000E+00 5.0000E+00\n 2.5000E+00 6.0000E+00\n";
  expect_matrix(parts);
}

/// By Fortran's rule for punched cards, the last two digits are a fraction.
TEST_F(HarwellBoeingTest, RefusesValuesWithoutDecimalPoints) {
  parts.values = "     4    -1     5\n   2.5     6\n";
  expect_refused(parts, {"line 7", "'4' has no decimal point", "write all values"});
}

TEST_F(HarwellBoeingTest, DoesNotUseTheTotalNumberOfLines) {
  for (const char* const total : {"0", "5", "-1", "99999999999999"}) {
    const std::string padding(14 - std::string(total).size(), ' ');
    parts.line_counts =
        padding + total + "             1             1             2             0\n";
    expect_matrix(parts);
  }
}

TEST_F(HarwellBoeingTest, ReadsAMatrixWithoutRows) {
  parts.count(1, 0, 0);
  parts.sizes = "             0             0             0             0\n";
  parts.pointers = "  1\n";
  parts.rows.clear();
  parts.values.clear();
  const SparseMatrix a = read(parts.text());
  EXPECT_EQ(a.pattern.n, 0);
  EXPECT_EQ(a.pattern.column_begin, (std::vector<Count>{0}));
}

TEST_F(HarwellBoeingTest, AddsTheDiagonalOfAPattern) {
  parts.count(1, 1, 0);
  parts.type = "PSA           ";
  parts.sizes = "             3             3             2             0\n";
  parts.pointers = "  1  2  3  3\n";
  parts.rows = "  2  3\n";
  parts.values.clear();
  const SparseMatrix a = read(parts.text(), Values::pattern_only);
  EXPECT_EQ(a.pattern.row, (std::vector<Index>{0, 1, 1, 2, 2}));
  EXPECT_EQ(notes.entries_read, 2);
  EXPECT_EQ(notes.diagonal_added, 3);
}

TEST_F(HarwellBoeingTest, AsksWhetherTheFileCountsFromZero) {
  parts.pointers = "  0  2  4  5\n";
  expect_refused(parts, {"line 5", "pointer 1 is 0", "does the file count from 0?"});
  parts.pointers = "  1  3  5  6\n";
  parts.rows = "  0  1  1  2  2\n";
  expect_refused(parts, {"line 6", "row index 0", "does the file count from 0?"});
}

TEST_F(HarwellBoeingTest, SaysWhatATypeMeans) {
  for (const auto& [type, meaning] : std::map<std::string, std::string>{{"CSA", "complex"},
                                                                        {"RZA", "skew-symmetric"},
                                                                        {"RHA", "Hermitian"},
                                                                        {"RRA", "rectangular"},
                                                                        {"RSE", "elements"}}) {
    parts.type = type + "           ";
    expect_refused(parts, {"line 3", meaning});
  }
}

}  // namespace
}  // namespace espalier::internal
