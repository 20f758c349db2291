// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/splitting.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace espalier {
namespace {

using List = std::vector<Index>;

TEST(Split, LeavesNarrowSupernodesAlone) {
  const Panels panels = split(List{0, 3, 259, 260}, List{256, 256, 256});
  EXPECT_EQ(panels.begin, (List{0, 3, 259, 260}));
  EXPECT_EQ(panels.supernode, (List{0, 1, 2}));
}

TEST(Split, CutsWideSupernodesEvenly) {
  const Panels panels = split(List{0, 10, 610}, List{256, 256});
  EXPECT_EQ(panels.begin, (List{0, 10, 210, 410, 610}));
  EXPECT_EQ(panels.supernode, (List{0, 1, 1, 1}));
}

TEST(Split, OfNothing) {
  EXPECT_EQ(split(List{0}, List{}).begin, List{0});
  EXPECT_TRUE(split(List{0}, List{}).supernode.empty());
}

TEST(Split, CutsEachSupernodeByItsOwnLimit) {
  const Panels panels = split(List{0, 16, 32}, List{8, 16});
  EXPECT_EQ(panels.begin, (List{0, 8, 16, 32}));
  EXPECT_EQ(panels.supernode, (List{0, 0, 1}));
}

/// A structure of supernodes with these widths and heights, nothing else.
PanelStructure supernodes(const List& width, const List& height) {
  PanelStructure structure;
  for (std::size_t s = 0; s < width.size(); ++s) {
    structure.supernode_begin.push_back(structure.supernode_begin.back() + width[s]);
    structure.row_begin.push_back(structure.row_begin.back() + height[s]);
  }
  return structure;
}

TEST(WidestPanels, TakeAThirtySecondOfTheWorkEach) {
  const PanelStructure structure = supernodes({50, 900}, {400, 900});
  // 200^2 * 900 is a 32nd of the work: 200 columns for the second supernode, 300 for the first.
  EXPECT_EQ(widest_panels(structure, 32.0 * 200 * 200 * 900, 384, 128), (List{296, 200}));
  EXPECT_EQ(widest_panels(structure, 32.0 * 200 * 200 * 900, 256, 128), (List{256, 200}));
}

TEST(WidestPanels, AreNeverNarrowerThanPaysUnlessAskedFor) {
  const PanelStructure structure = supernodes({900}, {900});
  EXPECT_EQ(widest_panels(structure, 1e6, 256, 128), List{128});
  EXPECT_EQ(widest_panels(structure, 1e6, 256, 48), List{48});
  EXPECT_EQ(widest_panels(structure, 1e6, 20, 128), List{20});
  EXPECT_EQ(widest_panels(structure, 1e15, 8192, 128), List{8192});
}

TEST(WidestPanels, HaveNoMoreEntriesThanAllowedWhereThatPays) {
  const PanelStructure structure = supernodes({900, 900, 900}, {900, 2000, 8000});
  EXPECT_EQ(widest_panels(structure, 1e15, 256, 128, 2e5 * 2), (List{256, 200, 128}));
}

TEST(Split, KeepsItsPromisesForEveryWidth) {
  for (const Index panel_width : {1, 3, 8, 12, 96, 100, 256}) {
    for (Index width = 1; width <= 1100; ++width) {
      SCOPED_TRACE(testing::Message() << width << " columns in panels of " << panel_width);
      const List begin = split(List{0, width}, List{panel_width}).begin;
      ASSERT_EQ(static_cast<Index>(begin.size()) - 1, (width + panel_width - 1) / panel_width);
      ASSERT_EQ(begin.front(), 0);
      ASSERT_EQ(begin.back(), width);
      Index narrowest = width;
      Index widest = 0;
      for (std::size_t p = 0; p + 1 < begin.size(); ++p) {
        const Index panel = begin[p + 1] - begin[p];
        narrowest = std::min(narrowest, panel);
        widest = std::max(widest, panel);
        const bool last = p + 2 == begin.size();
        ASSERT_TRUE(last || panel_width % 8 != 0 || panel % 8 == 0) << panel;
      }
      ASSERT_GE(narrowest, 1);
      ASSERT_LE(widest, panel_width);
      ASSERT_LT(widest - narrowest, panel_width % 8 == 0 ? 16 : 8);
    }
  }
}

}  // namespace
}  // namespace espalier
