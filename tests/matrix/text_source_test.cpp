// SPDX-License-Identifier: BSD-3-Clause
#include "matrix/text_source.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "espalier/error.hpp"
#include "support/expect_error.hpp"
#include "support/temporary_folder.hpp"

namespace espalier {
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
      {"binary, line 1", "no text file"});
}

TEST(Quoted, ShortensAndHidesWhatCannotBePrinted) {
  EXPECT_EQ(espalier::quoted("1 2"), "'1 2'");
  EXPECT_EQ(espalier::quoted(std::string_view("a\0\tb\xff", 5)), "'a??b?'");
  EXPECT_EQ(espalier::quoted(std::string(41, 'x')), "'" + std::string(40, 'x') + "...'");
}

}  // namespace
}  // namespace espalier
