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

/// Returns adjacent fields of equal width.
Fields equal_fields(std::size_t count, std::size_t width, std::size_t begin = 0,
                    bool implies_point = false, bool is_scaled = false) {
  Fields fields;
  for (std::size_t k = 0; k < count; ++k) {
    fields.push_back({begin + k * width, width, implies_point, is_scaled});
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
    bool implies_point = false, is_scaled = false;
  };
  const Case cases[] = {{"(16I5)", 16, 5},
                        {"(13i6)", 13, 6},
                        {"(26I3)", 26, 3},
                        {"(4E20.12)", 4, 20, true},
                        {"(1P,5D16.9)", 5, 16, true, true},
                        {"(1P5E16.8)", 5, 16, true, true},
                        {"(1P,3E25.16E3)", 3, 25, true, true},
                        {"(3(E25.16))", 3, 25, true},
                        {"(3(1P,F10.2))", 3, 10, true, true},
                        {"( 8 F 10.2 )", 8, 10, true},
                        {"(E26.18)", 1, 26, true},
                        {"(G12.5)", 1, 12, true},
                        {"(-2P,4F20.4)", 4, 20, true, true},
                        {"(3ES24.16)", 3, 24, true},
                        {"(4en20.12e3)", 4, 20, true},
                        {"(3(1P,E24.16))", 3, 24, true, true},
                        {"(1P,3(E24.16))", 3, 24, true, true},
                        {"(SP,BN,3E24.16)", 3, 24, true},
                        {"(3(E24.16,:))", 3, 24, true},
                        {"(10I8.8)", 10, 8},
                        {"(2P,10I8)", 10, 8},
                        {"(1P,0P,F8.0)", 1, 8},
                        {"(I5,I5,2I5)", 4, 5},
                        {"(2(2(I5)))", 4, 5}};
  for (const auto& [text, per_line, width, implies_point, is_scaled] : cases) {
    SCOPED_TRACE(text);
    const auto format = parse_fortran_format(text);
    ASSERT_TRUE(format.has_value());
    EXPECT_EQ(format->first, equal_fields(per_line, width, 0, implies_point, is_scaled));
    EXPECT_EQ(format->later, format->first);
  }
}

/// Fortran 2018, 13.8.5: a scale factor holds until the next one.
TEST(FortranFormat, AScaleFactorHoldsForTheFieldsAfterIt) {
  const auto format = parse_fortran_format("(F5.1,1P,F5.2,-2P,F5.0)");
  ASSERT_TRUE(format.has_value());
  EXPECT_EQ(format->first, (Fields{{0, 5, true, false}, {5, 5, true, true}, {10, 5, false, true}}));
  EXPECT_EQ(format->later, (Fields{{0, 5, true, true}, {5, 5, true, true}, {10, 5, false, true}}));
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

/// Fortran 2018, 13.4: format control returns to the last group of the outermost level.
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
  FixedFieldReader& reader(const std::string& text, FixedFormat format, Count count = 100) {
    source.emplace(folder.write("fields", text), 8);
    fields.emplace(*source, format, "indices", count);
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

TEST_F(FixedFieldsTest, ReadsRealsThatTheFormatDoesNotChange) {
  struct Case {
    const char* format;
    const char* text;
    std::vector<double> values;
  };
  const Case cases[] = {
      {"(4F5.1)", "  4.0  -1.    0  1.2\n", {4, -1, 0, 1.2}},
      {"(2F5.0)", "   40   -1\n", {40, -1}},
      {"(2I5)", "   40   -1\n", {40, -1}},
      {"(2P,2I5)", "   40   -1\n", {40, -1}},
      {"(1P,2E7.1)", " 4.0E+0-4.0E+1\n", {4, -40}},
      {"(1P,2E7.1,F7.1)", "  4.0+2 4.0D-1    0.0\n", {400, 0.4, 0}},
      {"(2E8.1)", " 4.0E 00-4.0D 01\n", {4, -40}},
      {"(2P,F5.1,(0P,F5.1))", "  0.0  1.0\n  4.0\n", {0, 1, 4}},
  };
  for (const auto& [format, text, values] : cases) {
    SCOPED_TRACE(format);
    FixedFieldReader& fields = reader(text, parse_fortran_format(format).value());
    for (const double value : values) EXPECT_EQ(fields.real(), value);
  }
}

/// See Fortran 2018, 13.7.2.3 and 13.8.5.
TEST_F(FixedFieldsTest, RefusesRealsThatTheFormatChanges) {
  struct Case {
    const char* format;
    const char* text;
    const char* message;
  };
  const Case cases[] = {
      {"(F5.1)", "   40\n", "'40' has no decimal point"},
      {"(E8.3)", "    -4E0\n", "'-4E0' has no decimal point"},
      {"(2P,F5.1)", " 400.\n", "'400.' has no exponent"},
      {"(1P,G10.3)", "      4.00\n", "'4.00' has no exponent"},
      {"(1P,F5.0)", "    4\n", "'4' has no exponent"},
  };
  for (const auto& [format, text, message] : cases) {
    SCOPED_TRACE(format);
    FixedFieldReader& fields = reader(text, parse_fortran_format(format).value());
    expect_error<InputError>([&] { fields.real(); },
                             {"fields, line 1", message, "write all indices"});
  }
}

/// A line as SciPy's hb_write() writes it: the format says (3E12.3), but fields have 11 characters.
TEST_F(FixedFieldsTest, ReadsWordsThatLieInTwoFields) {
  const FixedFormat format = *parse_fortran_format("(3E12.3)");
  const std::string text = "  4.000E+00 -1.500E+00 -1.500E+00\n -1.500E+00 -2.500E+00\n";
  FixedFieldReader& fields = reader(text, format, 5);
  for (const double value : {4.0, -1.5, -1.5, -1.5, -2.5}) EXPECT_EQ(fields.real(), value);
  fields.end();

  FixedFieldReader& more = reader(text, format, 6);
  for (const double value : {4.0, -1.5, -1.5, -1.5, -2.5}) EXPECT_EQ(more.real(), value);
  expect_error<InputError>([&] { more.real(); }, {"fields, line 2", "found 2"});

  FixedFieldReader& touching = reader("  1.00-20.00\n -1.00-2.00\n", equal_format(2, 6), 4);
  for (const double value : {1.0, -20.0}) EXPECT_EQ(touching.real(), value);
  EXPECT_EQ(touching.real(), -1);
  expect_error<InputError>([&] { touching.real(); }, {"fields, line 2", "5 of the 6"});
}

TEST_F(FixedFieldsTest, ASecondSectionBeginsOnANewLine) {
  reader("1 2\n3 4\n", equal_format(2, 2)).integer();
  FixedFieldReader next(*source, equal_format(2, 2), "values", 2);

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
