// SPDX-License-Identifier: BSD-3-Clause
#include "matrix/sparse_vectors.hpp"

#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "espalier/error.hpp"
#include "matrix/dense_vectors.hpp"
#include "support/expect.hpp"
#include "support/temporary_folder.hpp"

namespace espalier::internal {
namespace {

const std::string coordinates = "%%MatrixMarket matrix coordinate real general\n";

class SparseVectorsTest : public testing::Test {
 protected:
  SparseVectors read(const std::string& text, Index n) {
    return std::get<SparseVectors>(read_vectors(folder.write("b.mtx", text), n));
  }
  void expect_refused(const std::string& text, std::initializer_list<std::string> parts) {
    SCOPED_TRACE(text);
    support::expect_error<InputError>([&] { read(text, 2); }, {"b.mtx"});
    support::expect_error<InputError>([&] { read(text, 2); }, parts);
  }
  static std::vector<double> copied(const SparseVectors& vectors, Index first, Index count) {
    std::vector<double> b(static_cast<std::size_t>(count) * vectors.n, 99);
    vectors.copy(first, b);
    return b;
  }

  support::TemporaryFolder folder;
};

TEST_F(SparseVectorsTest, AreReadInAnyOrderAndSummed) {
  const SparseVectors b =
      read(coordinates + "% comment\n3 4 5\n3 4 -2\n1 1 1.5\n\n2 4 1D1\n3 4 5\n2 2 +7", 3);

  EXPECT_EQ(b.n, 3);
  EXPECT_EQ(b.count, 4);
  EXPECT_EQ(b.entry.size(), 5u);
  EXPECT_EQ(b.bytes(), 5 * 16);
  EXPECT_EQ(copied(b, 0, 4), (std::vector<double>{1.5, 0, 0, 0, 7, 0, 0, 0, 0, 0, 10, 3}));
  EXPECT_EQ(copied(b, 1, 2), (std::vector<double>{0, 7, 0, 0, 0, 0}));
  EXPECT_EQ(copied(b, 3, 1), (std::vector<double>{0, 10, 3}));
}

TEST_F(SparseVectorsTest, MayHaveNoEntryAtAll) {
  EXPECT_EQ(copied(read(coordinates + "2 3 0\n", 2), 0, 3), std::vector<double>(6, 0));
}

TEST_F(SparseVectorsTest, AreIntegersAndGzippedToo) {
  const std::string text = "%%MatrixMarket matrix coordinate integer general\n2 1 1\n2 1 -3\n";
  const Vectors b = read_vectors(folder.write_gzipped("b.mtx.gz", text), 2);

  EXPECT_EQ(copied(std::get<SparseVectors>(b), 0, 1), (std::vector<double>{0, -3}));
}

TEST_F(SparseVectorsTest, TakeMemoryForTheirEntriesAlone) {
  const SparseVectors b = read(coordinates + "2 2147483647 1\n2 2147483647 5\n", 2);

  EXPECT_EQ(b.count, 2147483647);
  EXPECT_EQ(b.bytes(), 16);
  EXPECT_EQ(copied(b, 2147483646, 1), (std::vector<double>{0, 5}));
}

TEST_F(SparseVectorsTest, AreRefusedWhereTheyAreNoVectorsOfTheRightLength) {
  expect_refused("%%MatrixMarket matrix coordinate pattern general\n2 1 1\n1 1\n", {"'pattern'"});
  expect_refused("%%MatrixMarket matrix coordinate complex general\n", {"line 1", "complex"});
  expect_refused("%%MatrixMarket matrix coordinate real symmetric\n", {"line 1", "symmetric"});
  expect_refused(coordinates, {"line 1", "sizes"});
  expect_refused(coordinates + "2 1\n", {"line 2", "'2 1'"});
  expect_refused(coordinates + "3 1 0\n", {"line 2", "3 rows", "the matrix has 2"});
  expect_refused(coordinates + "2 0 0\n", {"line 2", "0 vectors"});
  expect_refused(coordinates + "2 2147483648 0\n", {"line 2", "2147483648 vectors"});
  expect_refused(coordinates + "2 1 -1\n", {"line 2", "-1 entries"});
  expect_refused(coordinates + "2 1 1000\n1 1 1\n", {"line 2", "1000 entries"});
}

TEST_F(SparseVectorsTest, AreRefusedForBadEntries) {
  expect_refused(coordinates + "2 1 2\n1 1 1\n", {"line 3", "truncated", "1 of 2 entries"});
  expect_refused(coordinates + "2 1 1\n1 1 1\n2 1 3\n", {"line 4", "1 entries", "'2 1 3'"});
  expect_refused(coordinates + "2 1 1\n1 1\n", {"line 3", "'1 1'"});
  expect_refused(coordinates + "2 1 1\n0 1 1\n", {"line 3", "row 0", "1 to 2"});
  expect_refused(coordinates + "2 1 1\n1 2 1\n", {"line 3", "column 2", "1 to 1"});
  expect_refused(coordinates + "2 1 1\n1 1 inf\n", {"line 3", "not finite"});
  expect_refused(coordinates + "2 2 3\n1 2 1e308\n1 1 1e308\n1 2 1e308\n",
                 {"(1, 2)", "sum is not finite"});
}

}  // namespace
}  // namespace espalier::internal
