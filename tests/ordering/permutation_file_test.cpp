// SPDX-License-Identifier: BSD-3-Clause

#include <gtest/gtest.h>

#include "espalier/error.hpp"
#include "ordering/methods.hpp"
#include "support/expect.hpp"
#include "support/temporary_folder.hpp"

namespace espalier::internal {
namespace {

using Numbers = std::vector<Index>;

class PermutationFile : public testing::Test {
 protected:
  Numbers read(const std::string& content, Index n) {
    return read_permutation(folder_.write("order.txt", content), n).old_of;
  }
  void expect_refusal(const std::string& content, Index n,
                      std::initializer_list<std::string> parts) {
    SCOPED_TRACE(content);
    support::expect_error<InputError>([&] { read(content, n); }, {"order.txt"});
    support::expect_error<InputError>([&] { read(content, n); }, parts);
  }

  support::TemporaryFolder folder_;
};

TEST_F(PermutationFile, CountsFromZeroWhereItHoldsZero) {
  EXPECT_EQ(read("2\n0\n3\n1\n", 4), (Numbers{2, 0, 3, 1}));
}

TEST_F(PermutationFile, CountsFromOneWhereItHoldsN) {
  EXPECT_EQ(read("3\n1\n4\n2\n", 4), (Numbers{2, 0, 3, 1}));
  EXPECT_EQ(read("1\n", 1), Numbers{0});
  EXPECT_EQ(read("0\n", 1), Numbers{0});
}

TEST_F(PermutationFile, MayHaveCommentsBlankLinesAndManyNumbersALine) {
  EXPECT_EQ(read("# an ordering\n% of four\n\n  2 0\t3\r\n \t# the last\n1", 4),
            (Numbers{2, 0, 3, 1}));
}

TEST_F(PermutationFile, MayBeGzipped) {
  const std::string path = folder_.write_gzipped("order.gz", "1 2 0\n");

  EXPECT_EQ(read_permutation(path, 3).old_of, (Numbers{1, 2, 0}));
}

TEST_F(PermutationFile, MayBeAMatrixMarketArray) {
  EXPECT_EQ(read("%%MatrixMarket matrix array integer general\n% by hand\n3 1\n3\n1\n2\n", 3),
            (Numbers{2, 0, 1}));
  EXPECT_EQ(read("%%MatrixMarket matrix array real general\n3 1\n0.0\n2\n1e0\n", 3),
            (Numbers{0, 2, 1}));
}

TEST_F(PermutationFile, OfNoVerticesHoldsNone) {
  EXPECT_EQ(read("# nothing\n", 0), Numbers{});
  expect_refusal("0\n", 0, {"line 1", "expected 0 vertices"});
}

TEST_F(PermutationFile, IsRefusedWithLineAndReason) {
  expect_refusal("0\nx\n", 2, {"line 2", "0 to 1 or of 1 to 2", "'x'"});
  expect_refusal("0\n1.5\n", 2, {"line 2", "'1.5'"});
  expect_refusal("0\n\n-1\n", 2, {"line 3", "'-1'"});
  expect_refusal("0 1 4\n", 3, {"line 1", "'4'"});
  expect_refusal("0\nnan\n", 2, {"line 2", "'nan'"});
  expect_refusal("0\n99999999999999999999\n", 2, {"line 2", "'99999999999999999999'"});
  expect_refusal("0\n1\n1\n", 3, {"line 3", "vertex 1 comes a second time"});
  expect_refusal("3\n1\n0\n", 3, {"line 3", "both 0 and 3"});
  expect_refusal("0\n2\n", 3, {"line 2", "ends here after 2 of 3 vertices"});
  expect_refusal("0\n1\n2\n", 2, {"line 3", "expected 2 vertices", "'2'"});
  expect_refusal("", 2, {"empty"});
}

TEST_F(PermutationFile, IsRefusedWhereItsArrayIsNone) {
  const std::string banner = "%%MatrixMarket matrix ";
  expect_refusal(banner + "coordinate real general\n2 2 1\n1 1 1\n", 2, {"line 1", "coordinate"});
  expect_refusal(banner + "array complex general\n2 1\n1 0\n2 0\n", 2, {"line 1", "complex"});
  expect_refusal(banner + "array integer general\n3 1\n0\n1\n2\n", 2, {"line 2", "'2 1'", "'3 1'"});
  expect_refusal(banner + "array integer general\n2 2\n0\n1\n1\n0\n", 2, {"line 2", "'2 2'"});
  expect_refusal(banner + "array integer general\n2 1\n0\n", 2, {"line 3", "1 of 2 vertices"});
  expect_refusal(banner + "array integer general\n", 2, {"ends here", "sizes"});
}

TEST_F(PermutationFile, IsRefusedWhereItCannotBeRead) {
  support::expect_error<InputError>([&] { read_permutation(folder_.path("none"), 2); },
                                    {"none", "no such file"});
  support::expect_error<InputError>([&] { read_permutation(folder_.path(""), 2); }, {"folder"});
}

}  // namespace
}  // namespace espalier::internal
