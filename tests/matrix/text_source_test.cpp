// SPDX-License-Identifier: BSD-3-Clause

#include "matrix/text_source.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "espalier/error.hpp"
#include "support/expect.hpp"
#include "support/temporary_folder.hpp"

namespace espalier::internal {
namespace {

using support::expect_error;
using support::TemporaryFolder;
using Lines = std::vector<std::string>;

Lines all_lines(TextSource& source) {
  Lines lines;
  for (std::string_view line; source.next_line(line);) lines.emplace_back(line);
  return lines;
}

class TextSourceTest : public testing::Test {
 protected:
  TemporaryFolder folder;
};

TEST_F(TextSourceTest, GivesTheSameLinesThroughBuffersOfAnySize) {
  const std::string text = "first\n\nthird is longer than the others\r\n%\n last";
  const Lines expected{"first", "", "third is longer than the others", "%", " last"};
  for (const std::string& path :
       {folder.write("plain.txt", text), folder.write_gzipped("zipped.txt.gz", text)}) {
    for (const std::size_t bytes : {1, 2, 3, 5, 6, 7, 16, 31, 48, 1000}) {
      SCOPED_TRACE(path + " by " + std::to_string(bytes));
      TextSource source(path, bytes);
      EXPECT_EQ(all_lines(source), expected);
      std::string_view line;
      EXPECT_FALSE(source.next_line(line));
    }
  }
}

TEST_F(TextSourceTest, LastLineMayOrMayNotHaveItsEnd) {
  for (const char* text : {"a\nb", "a\nb\n", "a\r\nb\r\n", "a\r\nb\r"}) {
    TextSource source(folder.write("file", text));
    EXPECT_EQ(all_lines(source), (Lines{"a", "b"}));
  }
}

TEST_F(TextSourceTest, DataLinesAreNeitherBlankNorComments) {
  TextSource source(folder.write("file", "% c\n\n1 2\n \t\n  % c\n#3\n"));
  std::string_view line;

  EXPECT_TRUE(source.next_data_line(line));
  EXPECT_EQ(line, "1 2");
  EXPECT_EQ(source.require_data_line("the end"), "#3");
  expect_error<InputError>([&] { source.require_data_line("the sizes"); },
                           {"file, line 6", "before the sizes"});
}

TEST_F(TextSourceTest, ALineCanBeGivenTwice) {
  TextSource source(folder.write("file", "one\ntwo\n"), 4);

  EXPECT_EQ(source.require_line("one"), "one");
  source.unread_line();
  EXPECT_EQ(source.require_line("one"), "one");
  EXPECT_EQ(source.require_line("two"), "two");
  expect_error<InputError>([&] { source.fail("reason"); }, {source.path() + ", line 2: reason"});
}

TEST_F(TextSourceTest, GivesWholeLinesThroughBuffersOfAnySize) {
  const std::string text = "first\n\nthird is longer than the others\r\n%\n last";
  for (const std::string& path :
       {folder.write("plain.txt", text), folder.write_gzipped("zipped.txt.gz", text)}) {
    for (const std::size_t bytes : {1, 2, 3, 5, 6, 7, 16, 31, 48, 1000}) {
      SCOPED_TRACE(path + " by " + std::to_string(bytes));
      TextSource source(path, bytes);
      EXPECT_EQ(source.require_line("one"), "first");
      std::string rest;
      for (std::string_view lines; source.next_lines(lines);) {
        EXPECT_TRUE(lines.ends_with('\n') || lines.ends_with(" last")) << lines;
        rest += lines;
      }
      EXPECT_EQ("first\n" + rest, text);
      source.count_lines(3);
      expect_error<InputError>([&] { source.fail("reason"); }, {"line 4: reason"});
    }
  }
}

TEST_F(TextSourceTest, SkipsAByteOrderMark) {
  for (const std::size_t bytes : {1, 2, 3, 5, 1000}) {
    TextSource source(folder.write("file", "\xef\xbb\xbfone\n\xef\xbb\xbftwo\n"), bytes);
    EXPECT_EQ(all_lines(source), (Lines{"one", "\xef\xbb\xbftwo"}));
  }
  TextSource part(folder.write("file", "\xef\xbb\n"));
  EXPECT_EQ(all_lines(part), (Lines{"\xef\xbb"}));
  const std::string mark = folder.write("mark", "\xef\xbb\xbf");
  for (const std::size_t bytes : {1, 3, 1000}) {
    expect_error<InputError>([&] { TextSource(mark, bytes); }, {"mark", "is empty"});
  }
}

TEST_F(TextSourceTest, CommentsHaveAnyLength) {
  const std::string comment = " %" + std::string((std::size_t{1} << 24) + 100000, 'x');
  const std::string path = folder.write("file", "1\n" + comment + "\n2\n" + comment);
  for (const std::size_t bytes : {1, 1 << 20}) {
    TextSource source(path, bytes);
    std::string_view line;
    EXPECT_EQ(source.require_data_line("1"), "1");
    EXPECT_EQ(source.require_data_line("2"), "2");
    EXPECT_FALSE(source.next_data_line(line));
    expect_error<InputError>([&] { source.fail("reason"); }, {"line 4"});
  }
  TextSource source(path);
  Lines data;
  for (std::string_view lines, line; source.next_lines(lines);) {
    LineScanner scanner(lines);
    while (scanner.next_data(line)) data.emplace_back(line);
  }
  EXPECT_EQ(data, (Lines{"1", "2"}));
  const std::string no_comment = folder.write("long", comment.substr(2));
  expect_error<InputError>([&] { all_lines(*std::make_unique<TextSource>(no_comment)); },
                           {"long", "not a text file"});
}

TEST(LineScanner, TakesLinesWithoutTheirEnds) {
  LineScanner scanner("1\r\n\n % c\n2\n%\n3");
  std::string_view line;
  EXPECT_TRUE(scanner.next_data(line));
  EXPECT_EQ(line, "1");
  EXPECT_TRUE(scanner.next_data(line));
  EXPECT_EQ(line, "2");
  EXPECT_EQ(scanner.lines(), 4);
  EXPECT_TRUE(scanner.next(line));
  EXPECT_EQ(line, "%");
  EXPECT_TRUE(scanner.next_data(line));
  EXPECT_EQ(line, "3");
  EXPECT_FALSE(scanner.next_data(line));
  EXPECT_EQ(scanner.lines(), 6);
}

TEST_F(TextSourceTest, BoundsTheTextByTheSizeOfTheFile) {
  const std::string text(5000, 'x');
  EXPECT_EQ(TextSource(folder.write("plain", text)).most_bytes(), 5000);

  const TextSource zipped(folder.write_gzipped("zipped.gz", text));
  EXPECT_GE(zipped.most_bytes(), 5000);
  EXPECT_LT(zipped.most_bytes(), 100000);
}

TEST_F(TextSourceTest, ReadsAPipe) {
  const std::string path = folder.path("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] { folder.write("pipe", "a\nb\n"); });
  TextSource source(path);
  EXPECT_EQ(all_lines(source), (Lines{"a", "b"}));
  EXPECT_GT(source.most_bytes(), Count{1} << 60);
  writer.join();
}

TEST_F(TextSourceTest, RefusesWhatIsNoFileWithContent) {
  expect_error<InputError>([&] { TextSource(folder.path("none")); }, {"none", "no such file"});
  expect_error<InputError>([&] { TextSource(folder.path("")); }, {"folder"});
  expect_error<InputError>([&] { TextSource(folder.write("empty", "")); }, {"empty", "is empty"});
  expect_error<InputError>([&] { TextSource(folder.write_gzipped("e.gz", "")); },
                           {"e.gz", "is empty"});
}

TEST_F(TextSourceTest, TellsWhyAFileCannotBeRead) {
  // Address 0 of a process can be opened as a file, but never read.
  if (!std::filesystem::exists("/proc/self/mem")) GTEST_SKIP() << "there is no /proc/self/mem";
  expect_error<InputError>([] { TextSource("/proc/self/mem"); }, {"cannot be read", "error"});
}

TEST_F(TextSourceTest, RefusesGzipDataThatEndsEarly) {
  std::string text;
  for (int k = 0; k < 20000; ++k) text += std::to_string(k * 7919 % 10007) + "\n";
  const std::string whole = support::read_file(folder.write_gzipped("whole.gz", text));
  for (const std::size_t kept :
       {whole.size() - 1, whole.size() - 8, whole.size() / 2, std::size_t{12}, std::size_t{5}}) {
    const std::string path = folder.write("cut.gz", whole.substr(0, kept));
    expect_error<InputError>(
        [&] {
          TextSource source(path);
          all_lines(source);
        },
        {"cut.gz", "truncated or damaged gzip data"});
  }
}

TEST_F(TextSourceTest, RefusesGzipDataThatWasChanged) {
  std::string text;
  for (int k = 0; k < 20000; ++k) text += std::to_string(k * 7919 % 10007) + "\n";
  std::string content = support::read_file(folder.write_gzipped("whole.gz", text));
  content[content.size() / 2] ^= 0x10;
  const std::string path = folder.write("changed.gz", content);
  expect_error<InputError>(
      [&] {
        TextSource source(path);
        all_lines(source);
      },
      {"changed.gz", "truncated or damaged gzip data"});
}

TEST_F(TextSourceTest, RefusesAFileWithoutLines) {
  const std::string path = folder.write("binary", std::string(std::size_t{17} << 20, '\1'));
  expect_error<InputError>(
      [&] {
        TextSource source(path);
        all_lines(source);
      },
      {"binary, line 1", "not a text file"});
}

}  // namespace
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
  EXPECT_TRUE(parse_real("-1e99999999999", value));
  EXPECT_EQ(value, -infinity);
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
}  // namespace espalier::internal
