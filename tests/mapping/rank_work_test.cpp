// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/rank_work.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "base/dense.hpp"
#include "mapping/subtrees.hpp"
#include "support/divisions.hpp"
#include "support/problems.hpp"

namespace espalier::internal {
namespace {

/// Calls visit(structure, seconds, map) for all samples and several numbers of ranks.
template <class Visit>
void for_each_proportional_map(Visit visit) {
  for (const support::NamedStructure& sample : support::sample_structures()) {
    for (const Index ranks : {1, 3, 8}) {
      SCOPED_TRACE(sample.name + ", " + std::to_string(ranks) + " ranks");
      const std::vector<double> seconds = panel_seconds(sample.symbolic, KernelCost{});
      visit(sample.symbolic, seconds, support::map_to_ranks(sample.symbolic, seconds, ranks));
      if (testing::Test::HasFailure()) return;
    }
  }
}

/// Returns the sum over all ranks.
Load sum_of(const std::vector<Load>& loads) {
  Load sum;
  for (const Load& load : loads) sum += load;
  return sum;
}

TEST(RankWork, OfAllRanksIsAllWorkAndAllMemory) {
  for_each_proportional_map(
      [](const PanelStructure& structure, const auto& seconds, const RankMap& map) {
        const std::vector<Load> loads = support::rank_loads(structure, seconds, map);
        ASSERT_EQ(std::ssize(loads), map.ranks);
        const double total = std::accumulate(seconds.begin(), seconds.end(), 0.0);
        double stored = 0;
        for (Index p = 0; p < structure.panels(); ++p) {
          stored += structure.width(p) * (structure.height(p) + entries_beside_column);
        }
        EXPECT_NEAR(sum_of(loads).seconds, total, 1e-12 * total);
        EXPECT_DOUBLE_EQ(sum_of(loads).entries, stored);
      });
}

/// In a fan-both map, the work by a source on a target is that of the rank of both.
TEST(RankWork, GivesUpdatesToTheRankThatComputesThem) {
  const SymbolicFactor dense = support::structure_of(support::dense_random(24, 1));
  ASSERT_EQ(dense.panels(), 3);
  const std::vector<double> seconds{1.0, 2.0, 4.0};
  const BlockGrid tall{3, 1};
  const RankMap fan_in =
      support::map_to_ranks(dense, seconds, 3, Mapping::fan_both, &tall, Alone::blocks);
  const std::vector<Load> by_source = support::rank_loads(dense, seconds, fan_in);
  for (Index r = 0; r < 3; ++r) EXPECT_DOUBLE_EQ(by_source[r].seconds, seconds[r]) << r;

  const BlockGrid wide{1, 3};
  const RankMap fan_out =
      support::map_to_ranks(dense, seconds, 3, Mapping::fan_both, &wide, Alone::blocks);
  const std::vector<Load> by_target = support::rank_loads(dense, seconds, fan_out);
  const RankMap cyclic =
      support::map_to_ranks(dense, seconds, 3, Mapping::block_cyclic, &wide, Alone::blocks);
  const std::vector<Load> of_cells = support::rank_loads(dense, seconds, cyclic);
  for (Index r = 0; r < 3; ++r) {
    EXPECT_NEAR(by_target[r].seconds, of_cells[r].seconds, 1e-12) << r;
    EXPECT_DOUBLE_EQ(by_target[r].entries, by_source[r].entries) << r;
  }
}

/// With one tile per panel, shared panels belong to the owners of their diagonal blocks.
TEST(RankWork, GivesWholeTilesToTheirOwners) {
  for_each_proportional_map([](const PanelStructure& structure, const auto& seconds,
                               const RankMap& map) {
    std::vector<double> stored(map.ranks, 0.0);
    Index shared = 0;
    for (Index p = 0; p < structure.panels(); ++p) {
      const bool domain = map.domain[p] != RankMap::shared;
      const Index rank = domain ? map.domain[p] : map.grid[shared].rank(shared, shared);
      stored[rank] += structure.width(p) * (structure.height(p) + entries_beside_column);
      if (!domain) ++shared;
    }
    const TileLimits panels = tile_limits(Granularity::panel, 1);
    const std::vector<Load> loads = rank_loads(domain_loads(panel_loads(structure, seconds), map),
                                               map, SharedWork(structure, seconds, map, panels));
    for (Index r = 0; r < map.ranks; ++r) EXPECT_DOUBLE_EQ(loads[r].entries, stored[r]);
  });
}

TEST(SharedWork, HasTheSupernodesOfTheSharedPanels) {
  for_each_proportional_map(
      [](const PanelStructure& structure, const auto& seconds, const RankMap& map) {
        const SharedWork shared(structure, seconds, map);
        EXPECT_EQ(shared.supernode_begin.back(), std::ssize(map.grid));
        double work = 0;
        for (Index s = 0; s < shared.supernodes(); ++s) work += shared.supernode_seconds(s);
        const double domains = sum_of(support::domain_loads(structure, seconds, map)).seconds;
        const double total = std::accumulate(seconds.begin(), seconds.end(), 0.0);
        EXPECT_NEAR(work, total - domains, 1e-12 * total);
      });
}

/// Two panels of one dense supernode: D, F and U of the first, D of the second.
TEST(SharedWork, CountsAnUpdateWhereItWrites) {
  const SymbolicFactor dense = support::structure_of(support::dense_random(16, 1));
  ASSERT_EQ(dense.panels(), 2);
  const RankMap all_shared{.domain = std::vector<Index>(2, RankMap::shared), .grid = {}};
  const std::vector<double> seconds{1.0, 10.0};
  const SharedWork shared(dense, seconds, all_shared);
  const double sum = flops::potrf(8) + flops::trsm(8, 8) + flops::syrk(8, 8);
  const std::vector<Load> cells = shared.cell_loads(0, {2, 2});
  EXPECT_DOUBLE_EQ(cells[0].seconds, flops::potrf(8) / sum);
  EXPECT_DOUBLE_EQ(cells[1].seconds, 10 + (flops::trsm(8, 8) + flops::syrk(8, 8)) / sum);
  const double beside = 8 * entries_beside_column;
  EXPECT_EQ(cells[0].entries, 64 + beside);
  EXPECT_EQ(cells[1].entries, 128 + beside);
  std::vector<double> of_blocks;
  shared.for_each_block(0, [&](Index row, Index column, const Load& load) {
    EXPECT_EQ(column, 0);
    EXPECT_EQ(row, std::ssize(of_blocks));
    of_blocks.push_back(load.seconds);
  });
  ASSERT_EQ(of_blocks.size(), 2u);
  EXPECT_DOUBLE_EQ(of_blocks[1], flops::trsm(8, 8) / sum);
}

TEST(Imbalance, IsMostOverMean) {
  const Load found = imbalance({{1, 4}, {2, 4}, {3, 4}});
  EXPECT_DOUBLE_EQ(found.seconds, 1.5);
  EXPECT_DOUBLE_EQ(found.entries, 1);
  EXPECT_DOUBLE_EQ(imbalance({{0, 0}, {0, 0}}).seconds, 1);
}

}  // namespace
}  // namespace espalier::internal
