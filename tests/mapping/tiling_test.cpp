// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/tiling.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "support/expect.hpp"
#include "support/problems.hpp"

namespace espalier::internal {
namespace {

using support::NamedStructure;
using support::sample_structures;

constexpr Index tile_rows = 12;

SubtreeCut cut_at_share(const PanelStructure& structure, double share) {
  const std::vector<double> seconds = panel_seconds(structure, KernelCost{});
  return cut_subtrees(structure, seconds,
                      share * std::accumulate(seconds.begin(), seconds.end(), 0.0));
}

/// Calls visit(structure, cut, tiling) for all samples and cuts, from none to the whole forest.
template <class Visit>
void for_each_tiling(Granularity granularity, Visit visit) {
  for (const NamedStructure& sample : sample_structures()) {
    for (const double share : {0.0, 0.1, 2.0}) {
      SCOPED_TRACE(sample.name + ", cut at " + std::to_string(share));
      const SubtreeCut cut = cut_at_share(sample.symbolic, share);
      visit(sample.symbolic, cut, tile_panels(sample.symbolic, cut, granularity, tile_rows));
      if (testing::Test::HasFailure()) return;
    }
  }
}

std::set<Index> block_ends(const PanelStructure& structure, Index p) {
  std::set<Index> ends;
  for (Count b = structure.block_begin[p]; b < structure.block_begin[p + 1]; ++b) {
    ends.insert(structure.block_end(p, b));
  }
  return ends;
}

class TilingByGranularity : public testing::TestWithParam<Granularity> {};

TEST_P(TilingByGranularity, CoversPanelsAboveTheCutByWholeBlocks) {
  for_each_tiling(GetParam(), [](const auto& structure, const auto& cut, const Tiling& tiling) {
    ASSERT_EQ(std::ssize(tiling.tile_begin), structure.panels() + 1);
    for (Index p = 0; p < structure.panels(); ++p) {
      Index row = 0;
      const std::set<Index> ends = block_ends(structure, p);
      for (const Tile& tile : tiling.of(p)) {
        EXPECT_EQ(tile.panel, p);
        EXPECT_EQ(tile.row_begin, row);
        EXPECT_LT(tile.row_begin, tile.row_end);
        EXPECT_TRUE(ends.contains(tile.row_end)) << tile.row_end;
        row = tile.row_end;
      }
      EXPECT_EQ(row, cut.group_of[p] < 0 ? structure.height(p) : 0) << "panel " << p;
      if (row > 0) {
        EXPECT_GE(tiling.of(p).front().row_end, structure.width(p));
      }
    }
    EXPECT_EQ(tiling.tile_begin.back(), std::ssize(tiling.tile));
  });
}

INSTANTIATE_TEST_SUITE_P(All, TilingByGranularity,
                         testing::Values(Granularity::panel, Granularity::tile,
                                         Granularity::block));

TEST(Tiling, ByPanelHasOneTileAPanel) {
  for_each_tiling(Granularity::panel, [](const auto& structure, const auto& cut, const auto& t) {
    for (Index p = 0; p < structure.panels(); ++p) {
      EXPECT_EQ(t.of(p).size(), cut.group_of[p] < 0 ? 1u : 0u);
    }
  });
}

TEST(Tiling, ByBlockHasOneTileABlock) {
  for_each_tiling(Granularity::block, [](const auto& structure, const auto& cut, const auto& t) {
    for (Index p = 0; p < structure.panels(); ++p) {
      EXPECT_EQ(t.of(p).size(), cut.group_of[p] < 0 ? structure.blocks(p).size() : 0u);
    }
  });
}

TEST(Tiling, ByTileGathersBlocksUntilThereAreEnoughRows) {
  for_each_tiling(Granularity::tile, [](const auto& structure, const auto&, const Tiling& tiling) {
    for (Index p = 0; p < structure.panels(); ++p) {
      const auto tiles = tiling.of(p);
      if (tiles.empty()) continue;
      EXPECT_EQ(tiles.front().row_end, structure.width(p));
      for (std::size_t t = 1; t < tiles.size(); ++t) {
        const Index rows = tiles[t].row_end - tiles[t].row_begin;
        const std::set<Index> ends = block_ends(structure, p);
        const Index last_begin = *std::prev(ends.find(tiles[t].row_end));
        EXPECT_LT(last_begin - tiles[t].row_begin, tile_rows) << "one block too many";
        if (t + 1 < tiles.size()) {
          EXPECT_GE(rows, tile_rows);
        }
      }
    }
  });
}

TEST(Tiling, ByWhateverIsBestIsRefused) {
  const auto& symbolic = sample_structures().front().symbolic;
  support::expect_error<UsageError>(
      [&] { tile_panels(symbolic, whole_forest(symbolic), Granularity::automatic, tile_rows); },
      {"panel, tile or block"});
}

}  // namespace
}  // namespace espalier::internal
