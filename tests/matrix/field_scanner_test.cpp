// SPDX-License-Identifier: BSD-3-Clause
#include "matrix/field_scanner.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace espalier {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(ParseReal, TakesWhatCAndFortranWrite) {
  const std::pair<const char*, double> cases[] = {{"1.5", 1.5},
                                                  {"-.5", -0.5},
                                                  {"+2", 2},
                                                  {"5.", 5},
                                                  {"1e-3", 1e-3},
                                                  {"1E+05", 1e5},
                                                  {"1.D+03", 1000},
                                                  {"1.25d-2", 0.0125},
                                                  {"1.234-101", 1.234e-101},
                                                  {"-2+3", -2000},
                                                  {"0", 0},
                                                  {"4.9e-324", 4.9e-324},
                                                  {"0.1", 0.1},
                                                  {"2.718281828459045", 2.718281828459045}};
  for (const auto& [text, expected] : cases) {
    double value = 99;
    EXPECT_TRUE(parse_real(text, value)) << text;
    EXPECT_EQ(value, expected) << text;
  }
}

TEST(ParseReal, SaturatesBeyondTheRangeOfDouble) {
  double value = 0;
  for (const char* large : {"1e309", "1D999", "1e99999"}) {
    EXPECT_TRUE(parse_real(large, value));
    EXPECT_EQ(value, infinity) << large;
  }
  for (const char* tiny : {"1e-400", "1D-999", "-1e-99999"}) {
    EXPECT_TRUE(parse_real(tiny, value));
    EXPECT_EQ(value, 0) << tiny;
  }
  EXPECT_TRUE(parse_real("-inf", value));
  EXPECT_EQ(value, -infinity);
  EXPECT_TRUE(parse_real("NaN", value));
  EXPECT_TRUE(std::isnan(value));
}

TEST(ParseReal, RefusesWhatIsNoNumber) {
  for (const char* text : {"", "-", "+", ".", "e5", "1e", "1D", "+-2", "++2", "1..2", "0x10",
                           "1.5x", "12 3", "1,5", "1dd5", "1e5-3", "d5", "1-"}) {
    double value = 0;
    EXPECT_FALSE(parse_real(text, value)) << text;
  }
}

TEST(ParseInteger, TakesSignsAndSaturates) {
  const std::pair<const char*, Count> cases[] = {
      {"0", 0},
      {"+7", 7},
      {"-7", -7},
      {"007", 7},
      {"9223372036854775807", std::numeric_limits<Count>::max()},
      {"99999999999999999999", std::numeric_limits<Count>::max()},
      {"-99999999999999999999", std::numeric_limits<Count>::min()}};
  for (const auto& [text, expected] : cases) {
    Count value = 99;
    EXPECT_TRUE(parse_integer(text, value)) << text;
    EXPECT_EQ(value, expected) << text;
  }
}

TEST(ParseInteger, RefusesWhatIsNone) {
  for (const char* text : {"", "-", "+", "+-1", "1.0", "1e3", "a", "1a", "1 2"}) {
    Count value = 0;
    EXPECT_FALSE(parse_integer(text, value)) << text;
  }
}

TEST(FieldScanner, TakesFieldsBetweenBlanksAndTabs) {
  FieldScanner fields(" 3\t+4  1.5D1 word ");
  Count first = 0, second = 0;
  double third = 0;

  EXPECT_TRUE(fields.integer(first));
  EXPECT_TRUE(fields.integer(second));
  EXPECT_TRUE(fields.real(third));
  EXPECT_FALSE(fields.at_end());
  EXPECT_EQ(fields.word(), "word");
  EXPECT_TRUE(fields.at_end());
  EXPECT_EQ(fields.word(), "");
  EXPECT_EQ(first, 3);
  EXPECT_EQ(second, 4);
  EXPECT_EQ(third, 15);
}

TEST(FieldScanner, RefusesFieldsThatAreMoreThanANumber) {
  Count integer = 0;
  double real = 0;

  EXPECT_FALSE(FieldScanner("12x").integer(integer));
  EXPECT_FALSE(FieldScanner("1.5").integer(integer));
  EXPECT_FALSE(FieldScanner("1.5x").real(real));
  EXPECT_FALSE(FieldScanner(" ").integer(integer));
  EXPECT_FALSE(FieldScanner("").real(real));
}

}  // namespace
}  // namespace espalier
