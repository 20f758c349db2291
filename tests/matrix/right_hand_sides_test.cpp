// SPDX-License-Identifier: BSD-3-Clause
#include "matrix/right_hand_sides.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "espalier/error.hpp"
#include "support/expect.hpp"
#include "support/temporary_folder.hpp"

namespace espalier::internal {
namespace {

using Numbers = std::vector<double>;

class RightHandSidesTest : public testing::Test {
 protected:
  RightHandSidesTest() {
    const std::string banner = "%%MatrixMarket matrix ";
    paths = {folder.write("a.mtx", banner + "array real general\n2 2\n1\n2\n3\n4\n"),
             folder.write("b.mtx", banner + "coordinate real general\n2 3 1\n2 2 5\n"),
             folder.write("c.mtx", banner + "array integer general\n2 1\n6\n7\n")};
  }

  support::TemporaryFolder folder;
  std::vector<std::string> paths;
  const Numbers together{1, 2, 3, 4, 0, 0, 0, 5, 0, 0, 6, 7};
};

TEST_F(RightHandSidesTest, OfFilesStandSideBySideInTheirOrder) {
  RightHandSides b(paths, 2);

  ASSERT_EQ(b.count(), 6);
  EXPECT_EQ(b.bytes(), 4 * 8 + 16 + 2 * 8);
  for (Index first = 0; first < 6; ++first) {
    for (Index count = 0; first + count <= 6; ++count) {
      Numbers block(2 * static_cast<std::size_t>(count), 99);
      b.copy(first, block);
      EXPECT_EQ(block,
                Numbers(together.begin() + 2 * first, together.begin() + 2 * (first + count)))
          << first << " " << count;
    }
  }
  EXPECT_EQ(std::move(b).dense(), together);
}

TEST_F(RightHandSidesTest, OfOneFileAreWhatItHolds) {
  EXPECT_EQ(RightHandSides({paths[0]}, 2).dense(), (Numbers{1, 2, 3, 4}));
  EXPECT_EQ(RightHandSides({paths[1]}, 2).dense(), (Numbers{0, 0, 0, 5, 0, 0}));
}

TEST_F(RightHandSidesTest, OfKnownSolutionsAreMultiples) {
  RightHandSides b(Numbers{1, -2}, 3);

  EXPECT_EQ(b.bytes(), 16);
  Numbers last(2);
  b.copy(2, last);
  EXPECT_EQ(last, (Numbers{3, -6}));
  EXPECT_EQ(std::move(b).dense(), (Numbers{1, -2, 2, -4, 3, -6}));
}

TEST_F(RightHandSidesTest, AreNoMoreThanCanBeCounted) {
  const std::string most = folder.write(
      "most.mtx", "%%MatrixMarket matrix coordinate real general\n2 2147483647 1\n1 1 1\n");
  support::expect_error<InputError>(
      [&] {
        RightHandSides({paths[0], most}, 2);
      },
      {"most.mtx", "2147483647 vectors", "the 2 before"});
  EXPECT_EQ(RightHandSides({most}, 2).count(), 2147483647);
}

}  // namespace
}  // namespace espalier::internal
