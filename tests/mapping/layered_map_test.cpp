// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/layered_map.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "espalier/error.hpp"
#include "mapping/rank_work.hpp"
#include "mapping/subtrees.hpp"
#include "matrix/generators.hpp"
#include "support/divisions.hpp"
#include "support/problems.hpp"

namespace espalier::internal {
namespace {

constexpr Index layer_counts[] = {1, 2, 3, 4, 8};
constexpr BlockGrid layer_grids[] = {{1, 1}, {1, 2}, {2, 2}};

std::vector<Load> loads_of(const PanelStructure& structure) {
  return panel_loads(structure, panel_seconds(structure, KernelCost{}));
}

/// Calls visit(structure, layers, map) for all samples and layers.
template <class Visit>
void for_each_layered_map(Visit visit) {
  for (const support::NamedStructure& sample : support::sample_structures()) {
    for (const Index count : layer_counts) {
      for (const BlockGrid& cells : layer_grids) {
        for (const Alone alone : {Alone::subtrees, Alone::blocks}) {
          SCOPED_TRACE(sample.name + ", " + std::to_string(count) + " layers of " +
                       std::to_string(cells.rows) + "x" + std::to_string(cells.columns));
          const Layers layers{count,
                              {.cells = cells, .computes = ComputationMap::by_layer_of_source}};
          visit(sample.symbolic, layers,
                layered_map(sample.symbolic, loads_of(sample.symbolic), layers, alone));
          if (testing::Test::HasFailure()) return;
        }
      }
    }
  }
}

/// The ranks of a panel: [first, end).
struct RanksOfPanel {
  Index first;
  Index end;
};

std::vector<RanksOfPanel> ranks_of_panels(const RankMap& map) {
  std::vector<RanksOfPanel> ranks;
  auto grid = map.grid.begin();
  for (const Index domain : map.domain) {
    const bool shared = domain == RankMap::shared;
    const Index first = shared ? grid->first : domain;
    ranks.push_back({first, first + (shared ? grid++->size() : 1)});
  }
  return ranks;
}

TEST(LayeredMap, KeepsEachSubtreeAmongTheRanksOfItsRoot) {
  for_each_layered_map([](const PanelStructure& structure, const Layers&, const RankMap& map) {
    const std::vector<RanksOfPanel> ranks = ranks_of_panels(map);
    for (Index p = 0; p < structure.panels(); ++p) {
      const Index parent = structure.parent(p);
      if (parent < 0) continue;
      EXPECT_GE(ranks[p].first, ranks[parent].first) << "panel " << p;
      EXPECT_LE(ranks[p].end, ranks[parent].end) << "panel " << p;
    }
  });
}

TEST(LayeredMap, SpreadsPanelsOverTheGridsOfWholeLayers) {
  for_each_layered_map([](const PanelStructure&, const Layers& layers, const RankMap& map) {
    EXPECT_EQ(map.ranks, layers.count * layers.grid.size());
    for (const RankGrid& grid : map.grid) {
      EXPECT_EQ(grid.first % layers.grid.size(), 0);
      EXPECT_EQ(grid.size() % layers.grid.size(), 0);
      if (grid.size() == layers.grid.size()) {
        EXPECT_EQ(grid.cells.rows, layers.grid.cells.rows);
      }
    }
  });
}

/// One rank of the ranks of panel j computes the update of B(i, k) by panel j. This rank is the
/// owner of B(i, k) if panels j and k have the same ranks.
TEST(LayeredMap, ComputesEachUpdateOnARankOfItsSource) {
  for_each_layered_map([](const PanelStructure& structure, const Layers&, const RankMap& map) {
    std::vector<Index> number;
    Index shared = 0;
    for (const Index domain : map.domain) number.push_back(domain < 0 ? shared++ : -1);
    for (Index j = 0; j < structure.panels(); ++j) {
      if (number[j] < 0) continue;
      const RankGrid& from = map.grid[number[j]];
      const auto blocks = structure.blocks(j);
      for (std::size_t k = 1; k < blocks.size(); ++k) {
        const Index column = number[blocks[k].facing];
        const RankGrid& to = map.grid[column];
        for (std::size_t i = k; i < blocks.size(); ++i) {
          const Index row = number[blocks[i].facing];
          const Index rank = updater(map.grid, number[j], row, column);
          EXPECT_TRUE(from.has(rank));
          if (from.has_cells_of(to)) {
            EXPECT_EQ(rank, to.rank(row, column));
          }
        }
      }
    }
  });
}

TEST(LayeredMap, OfOneLayerIsBlockCyclic) {
  for (const support::NamedStructure& sample : support::sample_structures()) {
    const std::vector<Load> load = loads_of(sample.symbolic);
    const BlockGrid cells{2, 2};
    const RankMap one = map_to_ranks(sample.symbolic, load, 4, Mapping::three_d, &cells);
    const RankMap cyclic = map_to_ranks(sample.symbolic, load, 4, Mapping::block_cyclic, &cells);
    EXPECT_EQ(one.domain, cyclic.domain) << sample.name;
    ASSERT_EQ(one.grid.size(), cyclic.grid.size()) << sample.name;
    for (std::size_t k = 0; k < one.grid.size(); ++k) {
      EXPECT_TRUE(one.grid[k].has_cells_of(cyclic.grid[k])) << sample.name;
    }
  }
}

TEST(LayeredMap, DividesTheWorkAmongLayers) {
  const SymbolicFactor structure =
      support::structure_of(generate_matrix("laplace2d:100"), {"dissection", 64, {}});
  const std::vector<double> seconds = panel_seconds(structure, KernelCost{});
  const Layers layers{4, {.cells = {}, .computes = ComputationMap::by_layer_of_source}};
  const RankMap map = layered_map(structure, loads_of(structure), layers, Alone::subtrees);
  EXPECT_LT(imbalance(support::rank_loads(structure, seconds, map)).seconds, 1.3);
}

/// A dense matrix has only a top, whose sums would need the memory of L on each layer.
TEST(LayeredMap, HasAsManyLayersAsTheMemoryOfTheirSumsAllows) {
  const auto layers = [](const SymbolicFactor& structure, Index ranks) {
    const RankMap map = automatic_layers(structure, loads_of(structure), ranks,
                                         ComputationMap::by_layer_of_source, Alone::blocks);
    std::set<Index> firsts;
    for (const RankGrid& grid : map.grid) firsts.insert(grid.first);
    return std::ssize(firsts);
  };
  const SymbolicFactor dense = support::structure_of(support::dense_random(64, 1));
  EXPECT_EQ(layers(dense, 4), 1);
  const SymbolicFactor grid =
      support::structure_of(generate_matrix("laplace2d:100"), {"dissection", 64, {}});
  EXPECT_EQ(layers(grid, 4), 4);
  EXPECT_EQ(layers(grid, 3), 3);
}

TEST(LayeredMap, RefusesGridsThatDoNotDivideTheRanks) {
  const SymbolicFactor dense = support::structure_of(support::dense_random(16, 1));
  const BlockGrid cells{2, 2};
  EXPECT_NO_THROW(map_to_ranks(dense, loads_of(dense), 8, Mapping::three_d, &cells));
  EXPECT_THROW(map_to_ranks(dense, loads_of(dense), 6, Mapping::three_d, &cells), UsageError);
}

}  // namespace
}  // namespace espalier::internal
