// SPDX-License-Identifier: BSD-3-Clause
#include "matrix/dense_vectors.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "espalier/error.hpp"
#include "matrix/output_file.hpp"
#include "support/expect.hpp"
#include "support/temporary_folder.hpp"

namespace espalier::internal {
namespace {

using support::expect_error;
using Numbers = std::vector<double>;

const std::string array = "%%MatrixMarket matrix array real general\n";

class DenseVectorsTest : public testing::Test {
 protected:
  DenseVectors read(const std::string& text, Index n) {
    return std::get<DenseVectors>(read_vectors(folder.write("b.mtx", text), n));
  }
  void expect_refused(const std::string& text, std::initializer_list<std::string> parts) {
    SCOPED_TRACE(text);
    expect_error<InputError>([&] { read(text, 2); }, {"b.mtx"});
    expect_error<InputError>([&] { read(text, 2); }, parts);
  }

  support::TemporaryFolder folder;
};

TEST_F(DenseVectorsTest, ReadsVectorsOneAfterTheOther) {
  const DenseVectors b = read(array + "% comment\n2 3\n1\n2.5\n\n-3D0\n4\n5\n+6", 2);

  EXPECT_EQ(b.n, 2);
  EXPECT_EQ(b.count, 3);
  EXPECT_EQ(b.value, (Numbers{1, 2.5, -3, 4, 5, 6}));
  EXPECT_EQ(b.vector(1)[0], -3);
  EXPECT_EQ(b.vector(2).size(), 2u);
}

TEST_F(DenseVectorsTest, ReadsIntegersAndGzippedFiles) {
  const std::string integers = "%%MatrixMarket matrix array integer general\r\n2 1\r\n7\r\n-8\r\n";

  EXPECT_EQ(read(integers, 2).value, (Numbers{7, -8}));
  const Vectors packed = read_vectors(folder.write_gzipped("b.gz", integers), 2);
  EXPECT_EQ(std::get<DenseVectors>(packed).value, (Numbers{7, -8}));
}

TEST_F(DenseVectorsTest, RefusesWhatIsNoArrayOfTheRightLength) {
  expect_refused("x\n2\n", {"line 1", "%%MatrixMarket"});
  expect_refused("%%MatrixMarket vector array real general\n", {"line 1", "vector array"});
  expect_refused("%%MatrixMarket matrix array complex general\n", {"line 1", "complex"});
  expect_refused("%%MatrixMarket matrix array real symmetric\n", {"line 1", "symmetric"});
  expect_refused("%%MatrixMarket matrix array real \x1b[2J\n", {"line 1", "'?[2j'"});
  expect_refused(array, {"line 1", "sizes"});
  expect_refused(array + "2\n1\n2\n", {"line 2", "'2'"});
  expect_refused(array + "3 1\n1\n2\n3\n", {"line 2", "3 rows", "the matrix has 2"});
  expect_refused(array + "2 0\n", {"line 2", "0 vectors"});
  expect_refused(array + "2 -1\n", {"line 2", "-1 vectors"});
  expect_refused(array + "2 2147483647\n1\n2\n", {"line 2", "2147483647 vectors"});
  expect_refused(array + "2 9999999999\n1\n2\n", {"line 2", "9999999999 vectors"});
}

TEST_F(DenseVectorsTest, RefusesBadValues) {
  expect_refused(array + "2 1\n1\n", {"line 3", "truncated", "1 of 2 values"});
  expect_refused(array + "2 1\n1\n2\n3\n", {"line 5", "2 values", "'3'"});
  expect_refused(array + "2 1\n1\nx\n", {"line 4", "'x'"});
  expect_refused(array + "2 1\n1\nnan\n", {"line 4", "not finite"});
  expect_refused(array + "2 1\n1e999\n1\n", {"line 3", "not finite"});
}

TEST_F(DenseVectorsTest, ReadsPlainText) {
  const std::string column = "# b\n1\n\n% of A\n -2.5D0\t\r\n";
  EXPECT_EQ(read(column, 2).value, (Numbers{1, -2.5}));
  EXPECT_EQ(read("\xef\xbb\xbf" + column, 2).value, (Numbers{1, -2.5}));
  for (const std::string& path : {folder.write("b", column), folder.write("b.txt", column),
                                  folder.write_gzipped("b.gz", column)}) {
    EXPECT_EQ(std::get<DenseVectors>(read_vectors(path, 2)).value, (Numbers{1, -2.5}));
  }
  const DenseVectors several = read("1 2 3\n10 20 30", 2);
  EXPECT_EQ(several.count, 3);
  EXPECT_EQ(several.value, (Numbers{1, 10, 2, 20, 3, 30}));
  EXPECT_EQ(read("# nothing\n", 0).count, 1);
}

TEST_F(DenseVectorsTest, RefusesOtherText) {
  expect_refused("1\n", {"line 1", "1 of 2 rows", "per line"});
  expect_refused("1 2\n", {"line 1", "1 of 2 rows"});
  expect_refused("1\n2\n3\n", {"line 3", "2 rows", "'3'"});
  expect_refused("1\n2 3\n", {"line 2", "expected 1 numbers", "found 2"});
  expect_refused("1 2\n2\n", {"line 2", "expected 2 numbers", "found 1"});
  expect_refused("1\nabc\n", {"line 2", "'abc'"});
  expect_refused("1,5\n2\n", {"line 1", "separated by blanks", "'1,5'"});
  expect_refused("1\ninf\n", {"line 2", "not finite"});
}

TEST_F(DenseVectorsTest, ReadsBannersAsProgramsWriteThem) {
  EXPECT_EQ(read("\n%MatrixMarket matrix array real general\n2 1\n1\n2\n", 2).value,
            (Numbers{1, 2}));
  EXPECT_EQ(read("%%MATRIXMARKET matrix array double general\n1 1\n1\n", 1).value, (Numbers{1}));
  EXPECT_EQ(read(array + "0 3\n", 0).count, 3);
}

TEST_F(DenseVectorsTest, ReadsArraysOfAnyName) {
  DenseVectors x{2, 1, {1, 2}};
  OutputFile file(folder.path("x.npy"));
  begin_vectors(file, x.n, x.count);
  add_entries(file, x.value);
  file.commit();
  const std::string other = folder.write("x.dat", support::read_file(folder.path("x.npy")));
  EXPECT_EQ(std::get<DenseVectors>(read_vectors(other, 2)).value, x.value);
}

TEST(VectorFileNames, AreThoseOfTheFormatsAndOfDevices) {
  for (const char* const name : {"x.mtx", "a/x.mtx.gz", "x.npy", "/dev/null", "/dev/stdout"}) {
    EXPECT_TRUE(is_vector_file_name(name)) << name;
  }
  for (const char* const name : {"", "x", "x.txt", "x.npz", "x.npy.gz", "x.mtx/", "npy"}) {
    EXPECT_FALSE(is_vector_file_name(name)) << name;
  }
}

TEST_F(DenseVectorsTest, WhatIsWrittenReadsBackBitForBit) {
  DenseVectors x;
  x.n = 3;
  x.count = 2;
  x.value = {0.1, -1.0 / 3, 4.9e-324, 1.7976931348623157e308, 0, 1 + 0x1p-52};
  for (const char* name : {"x.mtx", "x.mtx.gz", "x.npy"}) {
    OutputFile file(folder.path(name));
    begin_vectors(file, x.n, x.count);
    add_entries(file, x.value);
    file.commit();
    const auto back = std::get<DenseVectors>(read_vectors(folder.path(name), 3));
    EXPECT_EQ(back.count, 2);
    EXPECT_EQ(back.value, x.value);
  }
  EXPECT_EQ(folder.file_names(), (std::vector<std::string>{"x.mtx", "x.mtx.gz", "x.npy"}));
}

}  // namespace
}  // namespace espalier::internal
