// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/rank_map.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "espalier/error.hpp"
#include "mapping/rank_work.hpp"
#include "mapping/subtrees.hpp"
#include "matrix/generators.hpp"
#include "support/divisions.hpp"
#include "support/problems.hpp"

namespace espalier::internal {
namespace {

using support::mappings;
using support::NamedStructure;
using support::sample_structures;
using testing::Each;
using testing::ElementsAre;

std::vector<double> seconds_of(const PanelStructure& structure) {
  return panel_seconds(structure, KernelCost{});
}

/// Calls visit(structure, map) for all samples, numbers of ranks and mappings.
template <class Visit>
void for_each_map(Visit visit) {
  for (const NamedStructure& sample : sample_structures()) {
    for (const Index ranks : {1, 2, 3, 4, 5, 8, 13}) {
      for (const Mapping mapping : mappings) {
        SCOPED_TRACE(sample.name + ", " + std::to_string(ranks) + " ranks, mapping " +
                     std::to_string(static_cast<int>(mapping)));
        const std::vector<double> seconds = seconds_of(sample.symbolic);
        visit(sample.symbolic, support::map_to_ranks(sample.symbolic, seconds, ranks, mapping));
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

TEST(RankMap, GivesEveryPanelToARankOrToAGridOfRanks) {
  for_each_map([](const PanelStructure& structure, const RankMap& map) {
    ASSERT_EQ(std::ssize(map.domain), structure.panels());
    for (const Index rank : map.domain) {
      ASSERT_GE(rank, RankMap::shared);
      ASSERT_LT(rank, map.ranks);
    }
    ASSERT_EQ(std::ssize(map.grid),
              std::count(map.domain.begin(), map.domain.end(), RankMap::shared));
    for (const RankGrid& grid : map.grid) {
      ASSERT_GE(grid.first, 0);
      ASSERT_GE(grid.size(), 1);
      ASSERT_LE(grid.first + grid.size(), map.ranks);
      ASSERT_GE(grid.shift, 0);
      ASSERT_LT(grid.shift, grid.size());
    }
  });
}

TEST(RankGrid, CountsTheBlocksOfEachRankWithoutGaps) {
  for (const BlockGrid cells :
       {BlockGrid{1, 1}, BlockGrid{2, 2}, BlockGrid{2, 3}, BlockGrid{4, 4}}) {
    const RankGrid grid{0, cells};
    std::map<Index, std::set<std::pair<Index, Index>>> own;
    constexpr Index blocks = 96;
    for (Index row = 0; row < blocks; ++row) {
      for (Index column = 0; column < blocks; ++column) {
        own[grid.rank(row, column)].insert({grid.own_row(row), grid.own_column(column)});
      }
    }
    for (const auto& [rank, of_rank] : own) {
      EXPECT_EQ(of_rank.size(), static_cast<std::size_t>(blocks) * blocks / grid.size());
      EXPECT_EQ(of_rank.rbegin()->first, blocks / cells.rows - 1);
    }
  }
}

TEST(RankGrid, IsTheBlockCyclicMapShiftedAmongItsRanks) {
  const RankGrid grid{10, {2, 3}, 4};
  for (Index row = 0; row < 7; ++row) {
    for (Index column = 0; column < 7; ++column) {
      const Index cell = owner_of_block({2, 3}, row, column);
      EXPECT_EQ(grid.rank(row, column), 10 + (cell + 4) % 6);
    }
  }
}

/// The computation map of the fan-both paper: entry (i, j) is i' % r + r * (j' % (r c) / r), for
/// i' = min(i, j) and j' = max(i, j). Panel k belongs to entry (k, k).
TEST(RankGrid, ComputesUpdatesOnTheRankOfSourceAndTargetIfItFansBoth) {
  for (const auto& [r, c] : {BlockGrid{1, 3}, BlockGrid{3, 1}, BlockGrid{2, 2}, BlockGrid{3, 4}}) {
    const RankGrid grid{0, {r, c}, 0, ComputationMap::by_source_and_target};
    for (Index source = 0; source < 20; ++source) {
      for (Index target = source; target < 20; ++target) {
        const Index expected = source % r + r * (target % (r * c) / r);
        for (Index row = target; row < 25; ++row) {
          EXPECT_EQ(grid.updater(source, row, target), expected);
          EXPECT_EQ(grid.rank(row, target), target % (r * c));
        }
      }
      EXPECT_EQ(grid.own_column(source), source / (r * c));
      EXPECT_EQ(grid.own_row(source), source);
    }
  }
}

TEST(RankGrid, ComputesUpdatesOnTheOwnerOfTheTargetIfItFansOut) {
  const RankGrid grid{10, {2, 3}, 4};
  for (Index source = 0; source < 4; ++source) {
    EXPECT_EQ(grid.updater(source, 6, 5), grid.rank(6, 5));
  }
}

TEST(RankMap, FansBothOverAllPanelsOrAboveSmallSubtrees) {
  const SymbolicFactor structure = support::structure_of(generate_matrix("laplace2d:20"));
  const std::vector<double> seconds = seconds_of(structure);
  const BlockGrid tall{3, 2};
  const auto map = [&](Mapping mapping, Alone alone) {
    return support::map_to_ranks(structure, seconds, 6, mapping, &tall, alone);
  };
  for (const Alone alone : {Alone::subtrees, Alone::blocks}) {
    const RankMap both = map(Mapping::fan_both, alone);
    const RankMap cyclic = map(Mapping::block_cyclic, alone);
    EXPECT_EQ(both.domain, cyclic.domain);
    ASSERT_EQ(both.grid.size(), cyclic.grid.size());
    for (std::size_t k = 0; k < both.grid.size(); ++k) {
      EXPECT_TRUE(both.grid[k].fans_both());
      EXPECT_FALSE(cyclic.grid[k].fans_both());
      EXPECT_EQ(both.grid[k].cells.rows, 3);
    }
  }
}

TEST(RankMap, HasWholeSupernodesAndWholeSubtreesInDomains) {
  for_each_map([](const PanelStructure& structure, const RankMap& map) {
    for (Index p = 0; p < structure.panels(); ++p) {
      const Index parent = structure.parent(p);
      if (parent < 0) continue;
      const bool same = structure.panel_supernode[parent] == structure.panel_supernode[p];
      if (map.domain[parent] != RankMap::shared || same) {
        ASSERT_EQ(map.domain[p], map.domain[parent]) << "panel " << p;
      }
    }
  });
}

TEST(RankMap, OfOneRankIsOneDomain) {
  for (const NamedStructure& sample : sample_structures()) {
    for (const Mapping mapping : mappings) {
      const auto map =
          support::map_to_ranks(sample.symbolic, seconds_of(sample.symbolic), 1, mapping);
      EXPECT_THAT(map.domain, Each(0)) << sample.name;
      EXPECT_TRUE(map.grid.empty()) << sample.name;
    }
  }
}

TEST(RankMap, BalancesRealProblems) {
  for (const char* spec : {"laplace3d:30", "irregular2d:40000"}) {
    const SymbolicFactor structure =
        support::structure_of(generate_matrix(spec), {"dissection", 64, AmalgamationOptions{}});
    const std::vector<double> seconds = seconds_of(structure);
    for (const Index ranks : {2, 3, 4, 8}) {
      const RankMap map = support::map_to_ranks(structure, seconds, ranks);
      const Load found = imbalance(support::rank_loads(structure, seconds, map));
      EXPECT_LT(found.seconds, 1.1) << spec << ", " << ranks;
      EXPECT_LT(found.entries, 1.15) << spec << ", " << ranks;
      const RankMap cyclic =
          support::map_to_ranks(structure, seconds, ranks, Mapping::block_cyclic);
      EXPECT_LT(imbalance(support::rank_loads(structure, seconds, cyclic)).seconds, 1.35)
          << spec << ", " << ranks;
    }
  }
}

TEST(RankMap, LeavesEqualTreesWhole) {
  const SymbolicFactor diagonal =
      support::structure_of(support::identity(6), {"natural", 8, {{0, 0, 0, 0}, {}}});
  const std::vector<double> seconds(6, 1.0);
  const RankMap map = support::map_to_ranks(diagonal, seconds, 3);
  EXPECT_TRUE(map.grid.empty());
  EXPECT_THAT(support::rank_loads(diagonal, seconds, map),
              Each(testing::Field(&Load::seconds, 2.0)));
}

TEST(RankMap, SharesOnlyTheHeadOfAnArrow) {
  const SymbolicFactor arrow =
      support::structure_of(support::arrow_head_last(9), {"natural", 8, {{0, 0, 0, 0}, {}}});
  ASSERT_EQ(arrow.panels(), 9);
  std::vector<double> seconds(9, 1.0);
  seconds.back() = 0.1;
  const RankMap map = support::map_to_ranks(arrow, seconds, 2);
  EXPECT_EQ(std::count(map.domain.begin(), map.domain.end(), 0), 4);
  EXPECT_EQ(std::count(map.domain.begin(), map.domain.end(), 1), 4);
  EXPECT_EQ(map.domain.back(), RankMap::shared);
  ASSERT_EQ(map.grid.size(), 1u);
  EXPECT_EQ(map.grid[0].size(), 2);
}

/// Three trees have 2, 1 and 1 of four parts of the work, and there are 4 ranks. The first tree
/// gets two ranks, which get no part of the other trees.
TEST(RankMap, GivesASubtreeTheRanksThatItsWorkIsWorth) {
  // Two supernodes below a third one, and two separate ones. Each rank has the same work and
  // entries.
  std::vector<support::Entry> entries;
  const auto add_dense = [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) {
      entries.push_back({j, j, 9});
      for (Index i = j + 1; i < end; ++i) entries.push_back({i, j, 1});
    }
  };
  add_dense(0, 8);
  add_dense(8, 16);
  add_dense(16, 18);
  add_dense(18, 27);
  add_dense(27, 36);
  for (Index j = 0; j < 16; ++j) entries.insert(entries.end(), {{16, j, 1}, {17, j, 1}});
  const SymbolicFactor forest = support::structure_of(support::from_entries(36, entries),
                                                      {"natural", 16, {{0, 0, 0, 0}, {}}});
  ASSERT_EQ(forest.panels(), 5);
  const std::vector<double> seconds{0.99, 0.99, 0.02, 1.0, 1.0};
  const RankMap map = support::map_to_ranks(forest, seconds, 4);
  ASSERT_EQ(map.grid.size(), 1u);
  EXPECT_EQ(map.domain[2], RankMap::shared);
  EXPECT_EQ(map.grid[0].size(), 2);
  const std::set<Index> below{map.domain[0], map.domain[1]};
  EXPECT_THAT(below, ElementsAre(map.grid[0].first, map.grid[0].first + 1));
  EXPECT_FALSE(below.contains(map.domain[3]));
  EXPECT_FALSE(below.contains(map.domain[4]));
}

TEST(RankMap, SpreadsOneDenseSupernodeOverAllRanks) {
  const SymbolicFactor dense = support::structure_of(support::dense_random(64, 1));
  ASSERT_EQ(dense.panels(), 8);
  const RankMap map = support::map_to_ranks(dense, seconds_of(dense), 4);
  EXPECT_THAT(map.domain, Each(RankMap::shared));
  for (const RankGrid& grid : map.grid) EXPECT_EQ(grid.size(), 4);
  EXPECT_THAT(support::rank_loads(dense, seconds_of(dense), map),
              Each(testing::Field(&Load::entries, testing::Gt(0))));
}

TEST(RankMap, OfMoreRanksThanColumnsLeavesSomeWithNothing) {
  const SymbolicFactor small = support::structure_of(support::tridiagonal(3));
  for (const Mapping mapping : mappings) {
    const RankMap map = support::map_to_ranks(small, seconds_of(small), 8, mapping);
    EXPECT_THAT(support::rank_loads(small, seconds_of(small), map),
                testing::Contains(testing::Field(&Load::entries, 0)));
  }
}

TEST(RankMap, GoesByTheBlockAloneWhereRanksOwnNothingElse) {
  for (const NamedStructure& sample : sample_structures()) {
    const std::vector<Load> load = panel_loads(sample.symbolic, seconds_of(sample.symbolic));
    for (const Index ranks : {1, 2, 6}) {
      const RankMap map = map_to_ranks(sample.symbolic, load, ranks, Mapping::block_cyclic, nullptr,
                                       {}, Alone::blocks);
      if (ranks == 1) {
        EXPECT_THAT(map.domain, Each(0)) << sample.name;
        continue;
      }
      EXPECT_THAT(map.domain, Each(RankMap::shared)) << sample.name;
      ASSERT_EQ(map.grid.size(), map.domain.size()) << sample.name;
      const BlockGrid cells = most_square_grid(ranks);
      for (const RankGrid& grid : map.grid) {
        EXPECT_EQ(grid.rank(7, 3), owner_of_block(cells, 7, 3)) << sample.name;
      }
    }
  }
}

TEST(RankMap, TakesTheGridThatIsGiven) {
  const SymbolicFactor structure = support::structure_of(generate_matrix("laplace2d:20"));
  const std::vector<double> seconds = seconds_of(structure);
  const BlockGrid tall{6, 1};
  const RankMap map = support::map_to_ranks(structure, seconds, 6, Mapping::block_cyclic, &tall);
  ASSERT_FALSE(map.grid.empty());
  for (const RankGrid& grid : map.grid) {
    EXPECT_EQ(grid.first, 0);
    EXPECT_EQ(grid.cells.rows, 6);
  }
  EXPECT_THROW(support::map_to_ranks(structure, seconds, 5, Mapping::block_cyclic, &tall),
               UsageError);
}

}  // namespace
}  // namespace espalier::internal
