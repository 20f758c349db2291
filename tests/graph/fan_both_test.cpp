// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "graph/exchange.hpp"
#include "graph/rank_graphs.hpp"

namespace espalier::internal {
namespace {

using support::RankGraphs;

constexpr BlockGrid grids[] = {{1, 2}, {2, 1}, {3, 1}, {2, 2}, {4, 1}, {2, 3}, {3, 2}};

/// Calls visit(structure, grid, graphs) for all samples with one task per pair of panels, whose
/// panels are spread over these grids by a fan-both map.
template <class Visit>
void for_each_fan_both(Visit visit) {
  for (const support::NamedStructure& sample : support::sample_structures()) {
    for (const BlockGrid& grid : grids) {
      SCOPED_TRACE(sample.name + ", " + std::to_string(grid.rows) + "x" +
                   std::to_string(grid.columns));
      visit(sample.symbolic, grid,
            support::rank_graphs(sample.symbolic, grid.size(), Mapping::fan_both, 0,
                                 Granularity::panel, Fill::by_first_writer, {}, Alone::blocks,
                                 &grid));
      if (testing::Test::HasFailure()) return;
    }
  }
}

/// The computation map of the fan-both paper.
Index map_of_paper(const BlockGrid& grid, Index i, Index j) {
  return std::min(i, j) % grid.rows + grid.rows * (std::max(i, j) % grid.size() / grid.rows);
}

/// Messages of the paper: panels of L that other ranks need, and aggregates of updates. A panel of
/// L or an aggregate is a pair of a panel and the other rank.
struct PaperMessages {
  std::set<std::pair<Index, Index>> factors;
  std::set<std::pair<Index, Index>> aggregates;
  std::map<Index, Count> updates;  ///< number of updates that each rank computes

  PaperMessages(const PanelStructure& whole, const BlockGrid& grid) {
    for (Index j = 0; j < whole.panels(); ++j) {
      for (const Block& block : whole.blocks(j).subspan(1)) {
        const Index k = block.facing;
        const Index rank = map_of_paper(grid, j, k);
        ++updates[rank];
        if (rank != map_of_paper(grid, j, j)) factors.emplace(j, rank);
        if (rank != map_of_paper(grid, k, k)) aggregates.emplace(k, rank);
      }
    }
  }
};

TEST(FanBoth, ComputesAndSendsWhatThePaperSays) {
  for_each_fan_both([](const PanelStructure& whole, const BlockGrid& grid, const RankGraphs& all) {
    const PaperMessages expected(whole, grid);
    std::set<std::pair<Index, Index>> factors;
    std::set<std::pair<Index, Index>> aggregates;
    std::map<Index, Count> updates;
    for (std::size_t r = 0; r < all.graph.size(); ++r) {
      const TaskGraph& graph = all.graph[r];
      const auto rank = static_cast<Index>(r);
      const Count own = graph.counts()[static_cast<std::size_t>(TaskKind::update)];
      if (own > 0) updates[rank] = own;
      for (const Message& m : graph.message) {
        if (m.kind != Message::Kind::send) continue;
        if (m.data < std::ssize(graph.tiling.tile)) {
          factors.emplace(graph.tiling.tile[m.data].panel, m.rank);
          continue;
        }
        const Contribution& sum = graph.contribution[m.data - graph.contribution_data(0)];
        aggregates.emplace(graph.tiling.tile[sum.tile].panel, rank);
      }
    }
    EXPECT_EQ(updates, expected.updates);
    EXPECT_EQ(factors, expected.factors);
    EXPECT_EQ(aggregates, expected.aggregates);
  });
}

/// The reason for the map: a panel of L goes to less than one row of the grid, and its updates come
/// from less than one column.
TEST(FanBoth, SendsEachPanelInItsRowAndSumsInItsColumn) {
  for_each_fan_both([](const PanelStructure& whole, const BlockGrid& grid, const RankGraphs& all) {
    std::vector<Index> sent(whole.panels(), 0);
    std::vector<Index> summed(whole.panels(), 0);
    for (const TaskGraph& graph : all.graph) {
      for (const Message& m : graph.message) {
        if (m.kind != Message::Kind::send) continue;
        const bool is_sum = m.data >= graph.contribution_data(0);
        const Index tile =
            is_sum ? graph.contribution[m.data - graph.contribution_data(0)].tile : m.data;
        ++(is_sum ? summed : sent)[graph.tiling.tile[tile].panel];
      }
    }
    EXPECT_LT(*std::ranges::max_element(sent), grid.columns);
    EXPECT_LT(*std::ranges::max_element(summed), grid.rows);
  });
}

}  // namespace
}  // namespace espalier::internal
