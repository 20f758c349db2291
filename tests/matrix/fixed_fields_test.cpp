// SPDX-License-Identifier: BSD-3-Clause
#include "matrix/fixed_fields.hpp"

#include <gtest/gtest.h>

#include "espalier/error.hpp"
#include "support/expect_error.hpp"
#include "support/temporary_folder.hpp"

namespace espalier {
namespace {

using support::expect_error;

TEST(FortranFormat, UnderstandsOneRepeatedDescriptor) {
  struct Case {
    const char* text;
    std::size_t per_line, width;
  };
  const Case cases[] = {{"(16I5)", 16, 5},         {"(13i6)", 13, 6},      {"(26I3)", 26, 3},
                        {"(4E20.12)", 4, 20},      {"(1P,5D16.9)", 5, 16}, {"(1P5E16.8)", 5, 16},
                        {"(1P,3E25.16E3)", 3, 25}, {"(3(E25.16))", 3, 25}, {"(3(1P,F10.2))", 3, 10},
                        {"( 8 F 10.2 )", 8, 10},   {"(E26.18)", 1, 26},    {"(G12.5)", 1, 12},
                        {"(-2P,4F20.4)", 4, 20}};
  for (const auto& [text, per_line, width] : cases) {
    SCOPED_TRACE(text);
    const auto format = parse_fortran_format(text);
    ASSERT_TRUE(format.has_value());
    EXPECT_EQ(format->per_line, per_line);
    EXPECT_EQ(format->width, width);
  }
}

TEST(FortranFormat, RefusesOthers) {
  for (const char* text : {"", "16I5", "(", "()", "(16)", "(I)", "(16I0)", "(0I5)", "(10X,5E12.4)",
                           "(A80)", "(*)", "(9999I5)", "(99(99I5))", "(1P)", "(16I99999999999)"}) {
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
  FixedFieldReader& fields = reader("  1 23456\n  7\n", {3, 3});

  for (const Count expected : {1, 23, 456, 7}) EXPECT_EQ(fields.integer(), expected);
}

TEST_F(FixedFieldsTest, ReadsReals) {
  FixedFieldReader& fields = reader("1.5D+1-2.5E0", {2, 6});

  EXPECT_EQ(fields.real(), 15);
  EXPECT_EQ(fields.real(), -2.5);
}

TEST_F(FixedFieldsTest, ASecondSectionBeginsOnANewLine) {
  reader("1 2\n3 4\n", {2, 2}).integer();
  FixedFieldReader next(*source, {2, 2}, "values");

  EXPECT_EQ(next.integer(), 3);
}

TEST_F(FixedFieldsTest, RefusesLinesWithTooFewFields) {
  FixedFieldReader& short_line = reader("  1  2\n  3  4  5\n", {3, 3});
  short_line.integer();
  short_line.integer();
  expect_error<InputError>([&] { short_line.integer(); },
                           {"fields, line 1", "3 indices", "found 2"});

  FixedFieldReader& hole = reader("  1     3\n", {3, 3});
  hole.integer();
  expect_error<InputError>([&] { hole.integer(); }, {"fields, line 1", "found 1"});

  FixedFieldReader& blank = reader("\n  1\n", {3, 3});
  expect_error<InputError>([&] { blank.integer(); }, {"fields, line 1", "found 0"});
}

TEST_F(FixedFieldsTest, RefusesWhatIsNoNumber) {
  expect_error<InputError>(
      [&] {
        reader("1 x\n", {1, 3}).integer();
      },
      {"fields, line 1", "indices of 3 characters", "'1 x'"});
  expect_error<InputError>([&] { reader("1.5\n", {1, 3}).integer(); }, {"'1.5'"});
  expect_error<InputError>([&] { reader("1.5.\n", {1, 4}).real(); }, {"'1.5.'"});
}

TEST_F(FixedFieldsTest, RefusesTheEndOfTheFile) {
  FixedFieldReader& fields = reader("  1\n", {1, 3});
  fields.integer();
  expect_error<InputError>([&] { fields.integer(); }, {"fields, line 1", "ends here", "indices"});
}

}  // namespace
}  // namespace espalier
