// SPDX-License-Identifier: BSD-3-Clause
#include "matrix/load.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <string>
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
  for (const auto& [file, name] : std::map<std::string, std::string>{
           {"A.MTX", "A"}, {"a.b.mtx", "a.b"}, {"B.Mtx.GZ", "B"}, {"c.txt", "c.txt"}, {"d", "d"}}) {
    EXPECT_EQ(load_matrix(folder.write(file, text)).name, name);
  }
}

TEST(LoadMatrix, LooksIntoFilesOfUnknownName) {
  const support::TemporaryFolder folder;
  const std::string text = read_file(data_folder + "five.mtx");

  EXPECT_EQ(load_matrix(folder.write_gzipped("five", text)).matrix.value, five().value);
  expect_error<InputError>([&] { load_matrix(folder.write("five.txt", "1 2 3\n")); },
                           {"five.txt", ".mtx", ".rb", ".rsa", ".gz", "%%MatrixMarket"});
}

TEST(LoadMatrix, RefusesWhatIsNoFile) {
  const support::TemporaryFolder folder;
  expect_error<InputError>([&] { load_matrix(folder.path("none.mtx")); },
                           {"none.mtx", "no such file", "laplace2d:M"});
  expect_error<InputError>([] { load_matrix("laplace4d:3"); }, {"no such generator"});
  expect_error<InputError>([&] { load_matrix(folder.path("")); }, {"folder"});
  expect_error<InputError>([&] { load_matrix(folder.write("e.rsa", "")); }, {"e.rsa", "empty"});
}

/// Whatever happens to the bytes of a file, it is read or refused: nothing else is thrown, and what
/// is read is a matrix.
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

/// All files of a folder of the user's: each is read with a sound matrix or refused with a reason,
/// and files that hold one matrix in two formats (NAME.* and NAME_hb.*) agree.
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
