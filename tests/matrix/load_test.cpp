// SPDX-License-Identifier: BSD-3-Clause
#include "matrix/load.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "espalier/error.hpp"
#include "matrix/generators.hpp"
#include "support/expect.hpp"
#include "support/matrices.hpp"
#include "support/temporary_folder.hpp"

namespace espalier::internal {
namespace {

using support::expect_error;
using support::read_file;

const std::string data_folder = ESPALIER_TEST_DATA "/";
const std::vector<std::string> files_with_values{"five.mtx",         "five.mtx.gz", "five.rsa",
                                                 "five_general.mtx", "five.rua",    "five.rb",
                                                 "five_upper.mtx"};

/// The matrix of tests/data/README.md.
SparseMatrix five() {
  return support::from_entries(5, {{0, 0, 4.5},
                                   {2, 0, -1.25},
                                   {4, 0, 0.1},
                                   {1, 1, 3},
                                   {3, 1, -0.0625},
                                   {2, 2, 6.02214076},
                                   {3, 2, -2},
                                   {3, 3, 7},
                                   {4, 3, 0.001},
                                   {4, 4, 2.718281828459045}});
}

void expect_same_pattern(const LowerPattern& a, const LowerPattern& b) {
  EXPECT_EQ(a.n, b.n);
  EXPECT_EQ(a.column_begin, b.column_begin);
  EXPECT_EQ(a.row, b.row);
}

TEST(LoadMatrix, ReadsTheSameMatrixFromEveryFormat) {
  for (const std::string& name : files_with_values) {
    SCOPED_TRACE(name);
    const MatrixInput input = load_matrix(data_folder + name);
    expect_same_pattern(input.matrix.pattern, five().pattern);
    EXPECT_EQ(input.matrix.value, five().value);
    EXPECT_EQ(input.name, name.substr(0, name.find('.')));
    const bool both = name == "five.rua" || name == "five_general.mtx";
    EXPECT_EQ(input.notes.entries_read, both ? 15 : 10);
    EXPECT_EQ(input.notes.duplicates_summed, 0);
  }
}

TEST(LoadMatrix, ReadsThePatternFromEveryFormat) {
  std::vector<std::string> names = files_with_values;
  names.insert(names.end(), {"five_pattern.mtx", "five.psa"});
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    const MatrixInput input = load_matrix(data_folder + name, Values::pattern_only);
    expect_same_pattern(input.matrix.pattern, five().pattern);
    EXPECT_TRUE(input.matrix.value.empty());
  }
}

TEST(LoadMatrix, GeneratesASpec) {
  const MatrixInput input = load_matrix("laplace2d:4");
  EXPECT_EQ(input.name, "laplace2d:4");
  EXPECT_EQ(input.matrix.value, generate_matrix("laplace2d:4").value);
  EXPECT_TRUE(load_matrix("laplace2d:4", Values::pattern_only).matrix.value.empty());
  expect_error<UsageError>([] { load_matrix("laplace2d:x"); }, {"laplace2d:M"});
}

TEST(LoadMatrix, NamesAMatrixAfterItsFile) {
  const support::TemporaryFolder folder;
  const std::string text = read_file(data_folder + "five.mtx");
  for (const auto& [file, name] : std::map<std::string, std::string>{{"A.MTX", "A"},
                                                                     {"e.hb", "e"},
                                                                     {"a.b.mtx", "a.b"},
                                                                     {"B.Mtx.GZ", "B"},
                                                                     {"c.txt", "c.txt"},
                                                                     {"d", "d"}}) {
    EXPECT_EQ(load_matrix(folder.write(file, text)).name, name);
  }
}

TEST(LoadMatrix, LooksIntoFilesOfUnknownName) {
  const support::TemporaryFolder folder;
  const std::string text = read_file(data_folder + "five.mtx");

  EXPECT_EQ(load_matrix(folder.write_gzipped("five", text)).matrix.value, five().value);
  expect_error<InputError>([&] { load_matrix(folder.write("five.txt", "1 2 3\n")); },
                           {"five.txt", "unknown", "%%MatrixMarket", "Harwell-Boeing", "RSA"});
}

TEST(LoadMatrix, FindsTheFormatInTheContent) {
  const support::TemporaryFolder folder;
  for (const std::string& name : files_with_values) {
    const std::string text = read_file(data_folder + name);
    for (const char* const other : {"a", "a.dat", "a.hb", "a.mtx", "a.rsa", "a.rb", "a.gz"}) {
      SCOPED_TRACE(name + " as " + other);
      EXPECT_EQ(load_matrix(folder.write(other, text)).matrix.value, five().value);
    }
  }
}

TEST(LoadMatrix, ReadsAPipeInEveryFormat) {
  const support::TemporaryFolder folder;
  for (const std::string& name : files_with_values) {
    SCOPED_TRACE(name);
    const std::string path = folder.path(name + ".pipe");
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    std::thread writer([&] { folder.write(name + ".pipe", read_file(data_folder + name)); });
    EXPECT_EQ(load_matrix(path).matrix.value, five().value);
    writer.join();
  }
}

TEST(LoadMatrix, AFormatGoesBeforeTheContent) {
  const std::string rsa = data_folder + "five.rsa";
  EXPECT_EQ(load_matrix(rsa, Values::required, FileFormat::harwell_boeing).matrix.value,
            five().value);
  expect_error<InputError>([&] { load_matrix(rsa, Values::required, FileFormat::matrix_market); },
                           {"five.rsa, line 1", "%%MatrixMarket"});
  expect_error<InputError>(
      [&] { load_matrix(data_folder + "five.mtx", Values::required, FileFormat::harwell_boeing); },
      {"five.mtx, line 2", "numbers of lines"});
}

TEST(LoadMatrix, NamesOtherContent) {
  const support::TemporaryFolder folder;
  using namespace std::string_literals;
  const std::string mac = "%%MatrixMarket matrix coordinate real general\r1 1 1\r1 1 1\r";
  const std::string tar = "a.mtx"s + std::string(252, '\0') + "ustar\0"s + std::string(300, 'x');
  const std::vector<std::pair<std::string, std::string>> cases{
      {"\xff\xfe%\0%\0M\0"s, "UTF-16"},
      {"\xfe\xff\0%\0%\0M"s, "UTF-16"},
      {"%\0%\0M\0a\0t\0"s, "UTF-16"},
      {"\0%\0%\0M\0a\0t"s, "UTF-16"},
      {mac, "CR alone"},
      {"title\rtwo\n", "CR alone"},
      {tar, "tar archive"},
      {"PK\x03\x04rest", "ZIP"},
      {"BZh91AY", "bzip2"},
      {"\xfd"
       "7zXZ\0rest"s,
       "xz"},
      {"\x28\xb5\x2f\xfdrest", "zstd"},
      {"MATLAB 5.0 MAT-file, x", "MAT-file"},
      {"\x89HDF\r\n", "HDF5"},
      {"\x93NUMPYrest", "NumPy"},
      {"<!DOCTYPE html>\n", "web page"},
      {"version https://git-lfs.x/v1\n", "Git LFS"}};
  for (const auto& [text, message] : cases) {
    for (const char* const name : {"a.mtx", "a.rsa", "a"}) {
      SCOPED_TRACE(message + " as " + name);
      const std::string file = folder.write(name, text);
      expect_error<InputError>([&] { load_matrix(file); }, {name, message});
    }
  }
  const std::string binary = folder.write("a", "\x01\r\x02\0\x03\n"s);
  expect_error<InputError>([&] { load_matrix(binary); }, {"the format of the file is unknown"});
  const std::string crlf = "%%MatrixMarket matrix coordinate real general\r\n1 1 1\r\n1 1 2\r\n";
  EXPECT_EQ(load_matrix(folder.write("a.mtx", crlf)).matrix.value, (std::vector<double>{2}));
}

TEST(LoadMatrix, RefusesWhatIsNoFile) {
  const support::TemporaryFolder folder;
  expect_error<InputError>([&] { load_matrix(folder.path("none.mtx")); },
                           {"none.mtx", "neither such a file", "laplace2d:M"});
  expect_error<InputError>([] { load_matrix("laplace4d:3"); }, {"nor such a test matrix"});
  expect_error<InputError>([&] { load_matrix(folder.path("")); }, {"folder"});
  expect_error<InputError>([&] { load_matrix(folder.write("e.rsa", "")); }, {"e.rsa", "empty"});
}

/// Whatever bytes of a file are changed, it is either read as a sound matrix or refused by the
/// documented exception.
TEST(LoadMatrix, ReadsOrRefusesDamagedFiles) {
  const support::TemporaryFolder folder;
  std::mt19937_64 generator(17);
  const std::string alphabet = "0123456789 .-+eED\n%()x\r\t\xff";
  Count read = 0, refused = 0;
  for (const std::string& name : files_with_values) {
    const std::string whole = read_file(data_folder + name);
    for (int round = 0; round < 300; ++round) {
      std::string damaged = whole;
      for (Count k = static_cast<Count>(generator() % 4); k >= 0; --k) {
        damaged[generator() % damaged.size()] = alphabet[generator() % alphabet.size()];
      }
      if (round % 4 == 0) damaged.resize(1 + generator() % damaged.size());
      const std::string path = folder.write(name, damaged);
      try {
        check(load_matrix(path).matrix);
        ++read;
      } catch (const InputError& error) {
        ++refused;
        EXPECT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
      }
    }
  }
  EXPECT_GT(read, 100);
  EXPECT_GT(refused, 700);
}

/// Reads all files of a user's folder. Each file is either read as a sound matrix or refused with a
/// reason. If two files contain one matrix in two formats (NAME.* and NAME_hb.*), the results are
/// equal.
TEST(LoadMatrix, ReadsTheFilesOfAFolderSlow) {
  const char* folder = std::getenv("ESPALIER_MATRICES");
  if (folder == nullptr) GTEST_SKIP() << "ESPALIER_MATRICES names no folder of matrices";
  std::map<std::string, SparseMatrix> matrices;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file() || entry.path().extension() == ".md") continue;
    SCOPED_TRACE(entry.path().string());
    try {
      MatrixInput input = load_matrix(entry.path().string(), Values::required);
      EXPECT_NO_THROW(check(input.matrix));
      const std::string name = input.name.substr(0, input.name.find("_hb"));
      const auto [first, is_new] = matrices.emplace(name, input.matrix);
      if (is_new) continue;
      expect_same_pattern(first->second.pattern, input.matrix.pattern);
      EXPECT_EQ(first->second.value, input.matrix.value);
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(entry.path().string()), std::string::npos);
      const bool pattern = entry.path().string().find("_pattern") != std::string::npos;
      if (pattern) {
        EXPECT_NO_THROW(
            check(load_matrix(entry.path().string(), Values::pattern_only).matrix.pattern));
      }
    }
  }
  EXPECT_FALSE(matrices.empty());
}

}  // namespace
}  // namespace espalier::internal
