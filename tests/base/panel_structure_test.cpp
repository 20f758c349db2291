// SPDX-License-Identifier: BSD-3-Clause
#include "base/panel_structure.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace espalier::internal {
namespace {

using testing::ElementsAre;

/// Two supernodes: columns 0-2 with rows 0-2, 4, 5, split into panels of 2 and 1 columns; columns
/// 3-5.
PanelStructure two_supernodes() {
  PanelStructure s;
  s.n = 6;
  s.supernode_begin = {0, 3, 6};
  s.row_begin = {0, 5, 8};
  s.row = {0, 1, 2, 4, 5, 3, 4, 5};
  s.panel_begin = {0, 2, 3, 6};
  s.panel_supernode = {0, 0, 1};
  s.block_begin = {0, 3, 5, 6};
  s.block = {{0, 0}, {2, 1}, {3, 2}, {0, 1}, {1, 2}, {0, 2}};
  return s;
}

TEST(PanelStructure, DerivesPanelsFromTheirSupernode) {
  const PanelStructure s = two_supernodes();
  EXPECT_EQ(s.panels(), 3);
  EXPECT_EQ(s.width(0), 2);
  EXPECT_EQ(s.height(0), 5);
  EXPECT_EQ(s.width(1), 1);
  EXPECT_EQ(s.height(1), 3);
  EXPECT_THAT(s.rows(0), ElementsAre(0, 1, 2, 4, 5));
  EXPECT_THAT(s.rows(1), ElementsAre(2, 4, 5));
  EXPECT_THAT(s.rows(2), ElementsAre(3, 4, 5));
}

TEST(PanelStructure, EndsBlocksWhereTheNextBegins) {
  const PanelStructure s = two_supernodes();
  EXPECT_EQ(s.blocks(0).size(), 3u);
  EXPECT_EQ(s.block_end(0, 0), 2);
  EXPECT_EQ(s.block_end(0, 1), 3);
  EXPECT_EQ(s.block_end(0, 2), 5);
  EXPECT_EQ(s.block_end(1, 3), 1);
  EXPECT_EQ(s.block_end(2, 5), 3);
}

TEST(PanelStructure, HasTheFacingPanelOfTheSecondBlockAsParent) {
  const PanelStructure s = two_supernodes();
  EXPECT_EQ(s.parent(0), 1);
  EXPECT_EQ(s.parent(1), 2);
  EXPECT_EQ(s.parent(2), -1);
}

}  // namespace
}  // namespace espalier::internal
