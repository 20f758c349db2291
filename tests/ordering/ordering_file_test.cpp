// SPDX-License-Identifier: BSD-3-Clause

#include "ordering/ordering_file.hpp"

#include <gtest/gtest.h>

#include "espalier/error.hpp"
#include "support/expect.hpp"
#include "support/temporary_folder.hpp"

namespace espalier::internal {
namespace {

using Numbers = std::vector<Index>;

class OrderingFile : public testing::Test {
 protected:
  Numbers read(const std::string& content, Index n) {
    return read_ordering(folder_.write("order.txt", content), n).column;
  }
  void expect_refusal(const std::string& content, Index n,
                      std::initializer_list<std::string> parts) {
    SCOPED_TRACE(content);
    support::expect_error<InputError>([&] { read(content, n); }, {"order.txt"});
    support::expect_error<InputError>([&] { read(content, n); }, parts);
  }

  support::TemporaryFolder folder_;
};

TEST_F(OrderingFile, CountsFromZeroWhereItHoldsZero) {
  EXPECT_EQ(read("2\n0\n3\n1\n", 4), (Numbers{2, 0, 3, 1}));
}

TEST_F(OrderingFile, CountsFromOneWhereItHoldsN) {
  EXPECT_EQ(read("3\n1\n4\n2\n", 4), (Numbers{2, 0, 3, 1}));
  EXPECT_EQ(read("1\n", 1), Numbers{0});
  EXPECT_EQ(read("0\n", 1), Numbers{0});
}

TEST_F(OrderingFile, MayHaveCommentsBlankLinesAndManyNumbersALine) {
  EXPECT_EQ(read("# an ordering\n% of four\n\n  2 0\t3\r\n \t# the last\n1", 4),
            (Numbers{2, 0, 3, 1}));
}

TEST_F(OrderingFile, MayBeGzipped) {
  const std::string path = folder_.write_gzipped("order.gz", "1 2 0\n");

  EXPECT_EQ(read_ordering(path, 3).column, (Numbers{1, 2, 0}));
}

TEST_F(OrderingFile, MayBeAMatrixMarketArray) {
  EXPECT_EQ(read("%%MatrixMarket matrix array integer general\n% by hand\n3 1\n3\n1\n2\n", 3),
            (Numbers{2, 0, 1}));
  EXPECT_EQ(read("%%MatrixMarket matrix array real general\n3 1\n0.0\n2\n1e0\n", 3),
            (Numbers{0, 2, 1}));
}

TEST_F(OrderingFile, OfNoVerticesHoldsNone) {
  EXPECT_EQ(read("# nothing\n", 0), Numbers{});
  expect_refusal("0\n", 0, {"line 1", "expected 0 vertices"});
}

TEST_F(OrderingFile, IsRefusedWithLineAndReason) {
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

TEST_F(OrderingFile, IsRefusedWhereItsArrayIsNone) {
  const std::string banner = "%%MatrixMarket matrix ";
  expect_refusal(banner + "coordinate real general\n2 2 1\n1 1 1\n", 2, {"line 1", "coordinate"});
  expect_refusal(banner + "array complex general\n2 1\n1 0\n2 0\n", 2, {"line 1", "complex"});
  expect_refusal(banner + "array integer general\n3 1\n0\n1\n2\n", 2, {"line 2", "'2 1'", "'3 1'"});
  expect_refusal(banner + "array integer general\n2 2\n0\n1\n1\n0\n", 2, {"line 2", "'2 2'"});
  expect_refusal(banner + "array integer general\n2 1\n0\n", 2, {"line 3", "1 of 2 vertices"});
  expect_refusal(banner + "array integer general\n", 2, {"ends here", "sizes"});
}

const std::string of_three = "%%EspalierOrdering\n% a comment\n2\n0 1\n";

TEST_F(OrderingFile, MayHaveParts) {
  const std::string path =
      folder_.write("tree.txt", of_three + "# one\nparts 3\n2 0 1\n\n2 1 2\n%two\n-1 2 3\n# end\n");
  const SeparatorTree tree = read_ordering(path, 3);
  EXPECT_EQ(tree.column, (Numbers{2, 0, 1}));
  EXPECT_EQ(tree.part, (std::vector<TreePart>{{2, 0, 1}, {2, 1, 2}, {-1, 2, 3}}));
  EXPECT_TRUE(begins_with_ordering_banner(path));
  EXPECT_FALSE(begins_with_ordering_banner(folder_.write("plain.txt", "0\n1\n")));
  EXPECT_FALSE(begins_with_ordering_banner(folder_.path("none")));
  EXPECT_FALSE(begins_with_ordering_banner(folder_.path("")));
}

TEST_F(OrderingFile, ReadsBackAsItWasWritten) {
  const std::vector<SeparatorTree> trees{{{2, 0, 1}, {{2, 0, 1}, {2, 1, 2}, {-1, 2, 3}}},
                                         {{1, 0}, {{-1, 0, 2}}},
                                         {{1, 2, 0}, {}},
                                         {{}, {{-1, 0, 0}}}};
  for (const SeparatorTree& tree : trees) {
    for (const char* const name : {"order.txt", "order.txt.gz"}) {
      const std::string path = folder_.path(name);
      OutputFile file(path);
      write_ordering(file, tree);
      file.commit();
      const SeparatorTree again = read_ordering(path, static_cast<Index>(tree.column.size()));
      EXPECT_EQ(again.column, tree.column);
      EXPECT_EQ(again.part, tree.part);
      EXPECT_EQ(begins_with_ordering_banner(path), !tree.part.empty());
    }
  }
}

TEST_F(OrderingFile, IsRefusedWhereItsPartsAreDamaged) {
  expect_refusal(of_three, 3, {"ends here", "'parts'"});
  expect_refusal(of_three + "3\n", 3, {"line 5", "expected 'parts'", "1 to 6", "'3'"});
  expect_refusal(of_three + "parts x\n", 3, {"line 5", "'parts x'"});
  expect_refusal(of_three + "parts 7\n", 3, {"line 5", "1 to 6"});
  expect_refusal(of_three + "parts 0\n", 3, {"line 5", "1 to 6"});
  expect_refusal(of_three + "parts 2\n1 0 1\n", 3, {"ends here", "part 1"});
  expect_refusal(of_three + "parts 1\n-1 0\n", 3, {"line 6", "end of part 0", "'-1 0'"});
  expect_refusal(of_three + "parts 1\n-1 0 9999999999\n", 3, {"line 6", "part 0"});
  expect_refusal(of_three + "parts 1\n-1 0 2\n", 3, {"line 6", "part 0", "ends at position 2"});
  expect_refusal(of_three + "parts 2\n1 0 1\n-1 2 3\n", 3, {"line 7", "2 instead of 1"});
  expect_refusal(of_three + "parts 2\n0 0 1\n-1 1 3\n", 3, {"line 6", "its parent is 0"});
  expect_refusal(of_three + "parts 1\n-1 0 3\n0\n", 3, {"line 7", "the end of the file", "'0'"});
  expect_refusal("0\n1\nparts 1\n", 2, {"line 3", "'parts'"});
}

TEST_F(OrderingFile, IsRefusedWhereItCannotBeRead) {
  support::expect_error<InputError>([&] { read_ordering(folder_.path("none"), 2); },
                                    {"none", "no such file"});
  support::expect_error<InputError>([&] { read_ordering(folder_.path(""), 2); }, {"folder"});
}

}  // namespace
}  // namespace espalier::internal
