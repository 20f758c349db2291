// SPDX-License-Identifier: BSD-3-Clause

#include "symbolic/block_structure.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "symbolic/sample_graphs.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace espalier::internal {
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

/// A structure that only has supernodes of these widths and heights.
PanelStructure supernodes(const List& width, const List& height) {
  PanelStructure structure;
  for (std::size_t s = 0; s < width.size(); ++s) {
    structure.supernode_begin.push_back(structure.supernode_begin.back() + width[s]);
    structure.row_begin.push_back(structure.row_begin.back() + height[s]);
  }
  return structure;
}

TEST(WidestPanels, HaveNoMoreOperationsThanAllowedInDAndF) {
  const PanelStructure structure = supernodes({50, 900}, {400, 900});
  // 200^2 * 900 operations: 200 columns of the second supernode, 300 of the first.
  EXPECT_EQ(widest_panels(structure, 200.0 * 200 * 900, 384, 128), (List{296, 200}));
  EXPECT_EQ(widest_panels(structure, 200.0 * 200 * 900, 256, 128), (List{256, 200}));
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

TEST(Split, MovesCutsBeforePairs) {
  // Columns 7 and 8 are a pair, and 15 and 16.
  List partner(24);
  std::iota(partner.begin(), partner.end(), 0);
  for (const Index first : {7, 15}) std::swap(partner[first], partner[first + 1]);
  EXPECT_EQ(split(List{0, 24}, List{8}, partner).begin, (List{0, 7, 15, 24}));
  EXPECT_EQ(split(List{0, 24}, List{16}, partner).begin, (List{0, 7, 24}));
  EXPECT_EQ(split(List{0, 9, 24}, List{8, 8}, partner).begin, (List{0, 7, 9, 17, 24}));
}

TEST(Split, NeverDividesAPair) {
  for (const Index panel_width : {1, 2, 3, 8, 12, 96}) {
    for (Index width = 1; width <= 300; ++width) {
      for (const Index first : {0, 1}) {
        SCOPED_TRACE(testing::Message() << width << " columns in panels of " << panel_width);
        List partner(static_cast<std::size_t>(width));
        std::iota(partner.begin(), partner.end(), 0);
        for (Index j = first; j + 1 < width; j += 2) std::swap(partner[j], partner[j + 1]);
        const Panels panels = split(List{0, width}, List{panel_width}, partner);
        ASSERT_EQ(panels.begin.size(), panels.supernode.size() + 1);
        ASSERT_EQ(panels.begin.back(), width);
        for (std::size_t p = 0; p < panels.supernode.size(); ++p) {
          ASSERT_GT(panels.begin[p + 1], panels.begin[p]);
          ASSERT_LE(panels.begin[p + 1] - panels.begin[p], panel_width + 1);
          ASSERT_TRUE(panels.begin[p] == 0 || partner[panels.begin[p]] >= panels.begin[p]);
        }
      }
    }
  }
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
namespace {

using List = std::vector<Index>;
using Counts = std::vector<Count>;

/// Supernode 0 of columns 0..1 with rows 3, 4, 6 below; supernode 1 of columns 2..6 in panels of 2,
/// 2 and 1 columns.
PanelStructure two_supernodes() {
  PanelStructure structure;
  structure.n = 7;
  structure.supernode_begin = {0, 2, 7};
  structure.row_begin = {0, 5, 10};
  structure.row = {0, 1, 3, 4, 6, 2, 3, 4, 5, 6};
  structure.panel_begin = {0, 2, 4, 6, 7};
  structure.panel_supernode = {0, 1, 1, 1};
  add_blocks(structure);
  return structure;
}

std::vector<std::pair<Index, Index>> blocks_of(const PanelStructure& structure, Index p) {
  std::vector<std::pair<Index, Index>> result;
  for (const Block& block : structure.blocks(p))
    result.emplace_back(block.row_offset, block.facing);
  return result;
}

TEST(AddBlocks, CutsRowsWhereTheyFaceAnotherPanel) {
  using Blocks = std::vector<std::pair<Index, Index>>;
  const PanelStructure structure = two_supernodes();
  EXPECT_EQ(blocks_of(structure, 0), (Blocks{{0, 0}, {2, 1}, {3, 2}, {4, 3}}));
  EXPECT_EQ(blocks_of(structure, 1), (Blocks{{0, 1}, {2, 2}, {4, 3}}));
  EXPECT_EQ(blocks_of(structure, 2), (Blocks{{0, 2}, {2, 3}}));
  EXPECT_EQ(blocks_of(structure, 3), (Blocks{{0, 3}}));
  EXPECT_EQ(structure.block_end(0, 1), 3);
  EXPECT_EQ(structure.block_end(0, 3), 5);
  EXPECT_EQ(structure.parent(0), 1);
  EXPECT_EQ(structure.parent(3), -1);
}

TEST(AddBlocks, ListsTheBlocksThatFaceAPanel) {
  const PanelStructure structure = two_supernodes();
  EXPECT_EQ(structure.facing_begin, (Counts{0, 0, 1, 3, 6}));
  EXPECT_EQ(structure.facing_source, (List{0, 0, 1, 0, 1, 2}));
  EXPECT_EQ(structure.facing_block, (Counts{1, 2, 5, 3, 6, 8}));
}

TEST(AddBlocks, AlignsTheValuesOfPanels) {
  // Panels of 5 x 2, 5 x 2, 3 x 2 and 1 x 1 entries.
  EXPECT_EQ(two_supernodes().value_begin, (Counts{0, 16, 32, 40, 48}));
}

TEST(AddBlocks, OfNothing) {
  PanelStructure structure;
  add_blocks(structure);
  EXPECT_TRUE(structure.block.empty());
  EXPECT_EQ(structure.block_begin, Counts{0});
  EXPECT_EQ(structure.facing_begin, Counts{0});
  EXPECT_EQ(structure.value_begin, Counts{0});
}

TEST(AddBlocks, AgreesWithADirectSearch) {
  for (const Sample& sample : sample_graphs()) {
    SCOPED_TRACE(sample.name);
    const SymbolicFactor factor =
        symbolic_factorization(sample.compressed, sample.ordering, {{}, 3, true});
    std::vector<std::tuple<Index, Index, Count>> found;  // facing panel, source panel, block
    for (Index p = 0; p < factor.panels(); ++p) {
      for (Index i = p + 1; i < factor.panels(); ++i) {
        Index first = -1;
        Index faced = 0;
        for (Index k = 0; k < factor.height(p); ++k) {
          const Index row = factor.rows(p)[k];
          if (row < factor.panel_begin[i] || row >= factor.panel_begin[i + 1]) continue;
          if (first == -1) first = k;
          ++faced;
        }
        Count block = -1;
        for (Count b = factor.block_begin[p]; b < factor.block_begin[p + 1]; ++b) {
          if (factor.block[b].facing == i) block = b;
        }
        ASSERT_EQ(block == -1, faced == 0);
        if (faced == 0) continue;
        EXPECT_EQ(factor.block[block].row_offset, first);
        EXPECT_EQ(factor.block_end(p, block), first + faced);
        found.emplace_back(i, p, block);
      }
    }
    std::sort(found.begin(), found.end());
    std::vector<std::tuple<Index, Index, Count>> listed;
    for (Index i = 0; i < factor.panels(); ++i) {
      for (Count k = factor.facing_begin[i]; k < factor.facing_begin[i + 1]; ++k) {
        listed.emplace_back(i, factor.facing_source[k], factor.facing_block[k]);
      }
    }
    EXPECT_EQ(listed, found);
  }
}

TEST(StoredCost, CountsWholeTrapezoids) {
  // Columns of 5, 4 and of 5, 4, 3, 2, 1 entries.
  const OrderingCost cost = stored_cost(two_supernodes());
  EXPECT_EQ(cost.entries, 24);
  EXPECT_EQ(cost.flops, 25 + 16 + 25 + 16 + 9 + 4 + 1);
}

}  // namespace
}  // namespace espalier::internal
