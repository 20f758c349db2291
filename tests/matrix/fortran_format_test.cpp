// SPDX-License-Identifier: BSD-3-Clause
#include "matrix/fortran_format.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "espalier/error.hpp"
#include "support/expect.hpp"
#include "support/temporary_folder.hpp"

namespace espalier::internal {
namespace {

using support::expect_error;
using Fields = std::vector<FixedFormat::Field>;

/// Fields of equal width that touch each other.
Fields equal_fields(std::size_t count, std::size_t width, std::size_t begin = 0, int fraction = 0,
                    int scale = 0) {
  Fields fields;
  for (std::size_t k = 0; k < count; ++k) {
    fields.push_back({begin + k * width, width, fraction, scale});
  }
  return fields;
}

FixedFormat equal_format(std::size_t count, std::size_t width) {
  return {equal_fields(count, width), equal_fields(count, width)};
}

TEST(FortranFormat, UnderstandsOneRepeatedDescriptor) {
  struct Case {
    const char* text;
    std::size_t per_line, width;
    int fraction = 0, scale = 0;
  };
  const Case cases[] = {{"(16I5)", 16, 5},
                        {"(13i6)", 13, 6},
                        {"(26I3)", 26, 3},
                        {"(4E20.12)", 4, 20, 12},
                        {"(1P,5D16.9)", 5, 16, 9, 1},
                        {"(1P5E16.8)", 5, 16, 8, 1},
                        {"(1P,3E25.16E3)", 3, 25, 16, 1},
                        {"(3(E25.16))", 3, 25, 16},
                        {"(3(1P,F10.2))", 3, 10, 2, 1},
                        {"( 8 F 10.2 )", 8, 10, 2},
                        {"(E26.18)", 1, 26, 18},
                        {"(G12.5)", 1, 12, 5},
                        {"(-2P,4F20.4)", 4, 20, 4, -2},
                        {"(3ES24.16)", 3, 24, 16},
                        {"(4en20.12e3)", 4, 20, 12},
                        {"(3(1P,E24.16))", 3, 24, 16, 1},
                        {"(1P,3(E24.16))", 3, 24, 16, 1},
                        {"(SP,BN,3E24.16)", 3, 24, 16},
                        {"(3(E24.16,:))", 3, 24, 16},
                        {"(10I8.8)", 10, 8},
                        {"(2P,10I8)", 10, 8},
                        {"(I5,I5,2I5)", 4, 5},
                        {"(2(2(I5)))", 4, 5}};
  for (const auto& [text, per_line, width, fraction, scale] : cases) {
    SCOPED_TRACE(text);
    const auto format = parse_fortran_format(text);
    ASSERT_TRUE(format.has_value());
    EXPECT_EQ(format->first, equal_fields(per_line, width, 0, fraction, scale));
    EXPECT_EQ(format->later, format->first);
  }
}

/// Fortran 2018, 13.8.5: a scale factor holds until the next one.
TEST(FortranFormat, AScaleFactorHoldsForTheFieldsAfterIt) {
  const auto format = parse_fortran_format("(F5.1,1P,F5.2,-2P,F5.0)");
  ASSERT_TRUE(format.has_value());
  EXPECT_EQ(format->first, (Fields{{0, 5, 1, 0}, {5, 5, 2, 1}, {10, 5, 0, -2}}));
  EXPECT_EQ(format->later, (Fields{{0, 5, 1, -2}, {5, 5, 2, 1}, {10, 5, 0, -2}}));
}

TEST(FortranFormat, PassesOverBlanks) {
  struct Case {
    const char* text;
    Fields first, later;
  };
  const Case cases[] = {
      {"(1X,8I9)", equal_fields(8, 9, 1), equal_fields(8, 9, 1)},
      {"(2(3I6,1X))",
       {{0, 6}, {6, 6}, {12, 6}, {19, 6}, {25, 6}, {31, 6}},
       {{0, 6}, {6, 6}, {12, 6}, {19, 6}, {25, 6}, {31, 6}}},
      {"(2(1X,2I4))", {{1, 4}, {5, 4}, {10, 4}, {14, 4}}, {{1, 4}, {5, 4}, {10, 4}, {14, 4}}},
      {"(I3,2X,I5)", {{0, 3}, {5, 5}}, {{0, 3}, {5, 5}}},
      {"(X,I3)", {{1, 3}}, {{1, 3}}}};
  for (const auto& [text, first, later] : cases) {
    SCOPED_TRACE(text);
    const auto format = parse_fortran_format(text);
    ASSERT_TRUE(format.has_value());
    EXPECT_EQ(format->first, first);
    EXPECT_EQ(format->later, later);
  }
}

/// Fortran 2018, 13.4: format control goes back to the last group of the outermost level.
TEST(FortranFormat, LaterLinesBeginAtTheLastGroup) {
  const auto format = parse_fortran_format("(1X,I3,2(I5),I2)");
  ASSERT_TRUE(format.has_value());
  EXPECT_EQ(format->first, (Fields{{1, 3}, {4, 5}, {9, 5}, {14, 2}}));
  EXPECT_EQ(format->later, (Fields{{0, 5}, {5, 5}, {10, 2}}));
  EXPECT_EQ(format->lines_for(0), 0);
  EXPECT_EQ(format->lines_for(4), 1);
  EXPECT_EQ(format->lines_for(5), 2);
  EXPECT_EQ(format->lines_for(7), 2);
  EXPECT_EQ(format->lines_for(8), 3);
}

TEST(FortranFormat, RefusesOthers) {
  for (const char* text : {"",
                           "16I5",
                           "(",
                           "()",
                           "(16)",
                           "(I)",
                           "(16I0)",
                           "(0I5)",
                           "(10X)",
                           "(A80)",
                           "(*)",
                           "(9999I5)",
                           "(99(99I5))",
                           "(1P)",
                           "(16I99999999999)",
                           "(16I5",
                           "(3E24.16,/)",
                           "(T5,3I4)",
                           "(-3I5)",
                           "(2PI)",
                           "(0(I5))",
                           "(99(99(99(99(X))),I1)",
                           "(99(99(99(99()))),I1)",
                           "(B,I5)",
                           "(BZ,I5)",
                           "(I5,(2X))",
                           "(((((((((((I5)))))))))))"}) {
    EXPECT_FALSE(parse_fortran_format(text).has_value()) << text;
  }
}

class FixedFieldsTest : public testing::Test {
 protected:
  FixedFieldReader& reader(const std::string& text, FixedFormat format) {
    source.emplace(folder.write("fields", text), 8);
    fields.emplace(*source, format, "indices");
    return *fields;
  }

  support::TemporaryFolder folder;
  std::optional<TextSource> source;
  std::optional<FixedFieldReader> fields;
};

TEST_F(FixedFieldsTest, ReadsFieldsThatTouchLineByLine) {
  FixedFieldReader& fields = reader("  1 23456\n  7\n", equal_format(3, 3));

  for (const Count expected : {1, 23, 456, 7}) EXPECT_EQ(fields.integer(), expected);
}

TEST_F(FixedFieldsTest, ReadsReals) {
  FixedFieldReader& fields = reader("1.5D+1-2.5E0", equal_format(2, 6));

  EXPECT_EQ(fields.real(), 15);
  EXPECT_EQ(fields.real(), -2.5);
}

/// Fortran 2018, 13.7.2.3 and 13.8.5. The oracle is what gfortran reads.
TEST_F(FixedFieldsTest, ReadsRealsAsFortranDoes) {
  struct Case {
    const char* format;
    const char* text;
    std::vector<double> values;
  };
  const Case cases[] = {
      {"(4F5.1)", "   40   -1    0  1e1\n", {4, -0.1, 0, 1}},
      {"(2F5.0)", "   40   -1\n", {40, -1}},
      {"(2F5.3)", "   -1   +1\n", {-0.001, 0.001}},
      {"(2E5.1)", " 40E0-4D+1\n", {4, -4}},
      {"(2E5.3)", "  4+2 4E-1\n", {0.4, 0.0004}},
      {"(2P,3F5.1)", " 400.-400.  0.0\n", {4, -4, 0}},
      {"(2P,2F5.1)", "  400 -400\n", {0.4, -0.4}},
      {"(-2P,2F5.1)", "  4.0  -4.\n", {400, -400}},
      {"(1P,2E7.1)", " 4.0E+0-4.0E+1\n", {4, -40}},
      {"(1P,2E7.1)", "  40E+0 -40E+1\n", {4, -40}},
      {"(F5.1,(2P,F5.1))", "   40 1000\n  40\n", {4, 1}},
  };
  for (const auto& [format, text, values] : cases) {
    SCOPED_TRACE(format);
    FixedFieldReader& fields = reader(text, parse_fortran_format(format).value());
    for (const double value : values) EXPECT_EQ(fields.real(), value);
  }
}

/// As programs in other languages write them with %g: 4 stands for 4.0.
TEST_F(FixedFieldsTest, RefusesAMixOfNumbersThatTheFormatChanges) {
  const FixedFormat format = *parse_fortran_format("(2E8.3)");
  FixedFieldReader& fields = reader("     0.5       4\n", format);
  EXPECT_EQ(fields.real(), 0.5);
  expect_error<InputError>([&] { fields.real(); }, {"fields, line 1", "'4' stands for 0.004"});

  FixedFieldReader& other = reader("       0       4\n     0.0     0.5\n", format);
  for (const double value : {0.0, 0.004, 0.0}) EXPECT_EQ(other.real(), value);
  expect_error<InputError>([&] { other.real(); }, {"fields, line 2", "'0.5' stands for itself"});

  FixedFieldReader& scaled = reader("2.0e+01  2.0000\n", *parse_fortran_format("(1P,2E8.1)"));
  EXPECT_EQ(scaled.real(), 20);
  expect_error<InputError>([&] { scaled.real(); }, {"'2.0000' stands for 0.2"});
}

TEST_F(FixedFieldsTest, ASecondSectionBeginsOnANewLine) {
  reader("1 2\n3 4\n", equal_format(2, 2)).integer();
  FixedFieldReader next(*source, equal_format(2, 2), "values");

  EXPECT_EQ(next.integer(), 3);
}

TEST_F(FixedFieldsTest, RefusesLinesWithTooFewFields) {
  FixedFieldReader& short_line = reader("  1  2\n  3  4  5\n", equal_format(3, 3));
  short_line.integer();
  short_line.integer();
  expect_error<InputError>([&] { short_line.integer(); },
                           {"fields, line 1", "3 indices", "found 2"});

  FixedFieldReader& hole = reader("  1     3\n", equal_format(3, 3));
  hole.integer();
  expect_error<InputError>([&] { hole.integer(); }, {"fields, line 1", "found 1"});

  FixedFieldReader& blank = reader("\n  1\n", equal_format(3, 3));
  expect_error<InputError>([&] { blank.integer(); }, {"fields, line 1", "found 0"});
}

TEST_F(FixedFieldsTest, RefusesWhatIsNoNumber) {
  expect_error<InputError>([&] { reader("1 x\n", equal_format(1, 3)).integer(); },
                           {"fields, line 1", "indices of 3 characters", "'1 x'"});
  expect_error<InputError>([&] { reader("1.5\n", equal_format(1, 3)).integer(); }, {"'1.5'"});
  expect_error<InputError>([&] { reader("1.5.\n", equal_format(1, 4)).real(); }, {"'1.5.'"});
}

TEST_F(FixedFieldsTest, RefusesTheEndOfTheFile) {
  FixedFieldReader& fields = reader("  1\n", equal_format(1, 3));
  fields.integer();
  expect_error<InputError>([&] { fields.integer(); }, {"fields, line 1", "ends here", "indices"});
}

TEST_F(FixedFieldsTest, BlanksStandBetweenFields) {
  const FixedFormat format = *parse_fortran_format("(1X,2I3,2X,I2)");
  FixedFieldReader& fields = reader("   1  2   3\n   4  5   6\t\n", format);
  for (const Count expected : {1, 2, 3, 4, 5, 6}) EXPECT_EQ(fields.integer(), expected);
  fields.end();

  FixedFieldReader& shifted = reader("1  2  3   4\n", format);
  expect_error<InputError>([&] { shifted.integer(); }, {"fields, line 1", "character 2", "'1'"});
}

TEST_F(FixedFieldsTest, LaterLinesMayHaveOtherFields) {
  FixedFieldReader& fields = reader(" 12\n 3\n 4\n", *parse_fortran_format("(1X,(I2))"));
  for (const Count expected : {12, 3, 4}) EXPECT_EQ(fields.integer(), expected);
}

}  // namespace
}  // namespace espalier::internal
