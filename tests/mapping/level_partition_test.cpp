// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/level_partition.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "support/problems.hpp"

namespace espalier::internal {
namespace {

using support::NamedStructure;
using support::sample_structures;
using testing::Each;
using testing::ElementsAre;

struct Case {
  const SymbolicFactor& structure;
  const SubtreeCut& cut;
  const std::vector<double>& seconds;
  Index workers;
  LevelOptions options;
  LevelPartition partition;

  Index l_partition(Index p) const { return partition.l_partition[partition.level[p]]; }
};

/// Calls visit(case) for all samples, several cuts and options.
template <class Visit>
void for_each_partition(Visit visit) {
  for (const NamedStructure& sample : sample_structures()) {
    std::vector<double> seconds = panel_seconds(sample.symbolic, KernelCost{});
    for (double& s : seconds) s *= 1000;  // so that a barrier is short compared with them
    const double total = std::accumulate(seconds.begin(), seconds.end(), 0.0);
    for (const double share : {0.0, 0.05, 0.3, 2.0}) {
      const SubtreeCut cut = cut_subtrees(sample.symbolic, seconds, share * total);
      for (const auto& [workers, levels, parts] : std::vector<std::array<Index, 3>>{
               {1, 0, 1}, {2, 0, 1}, {4, 0, 2}, {3, 1, 1}, {2, 3, 2}}) {
        SCOPED_TRACE(sample.name + ", cut at " + std::to_string(share) + ", " +
                     std::to_string(workers) + " workers, levels " + std::to_string(levels));
        const LevelOptions options{levels, parts};
        visit(Case{sample.symbolic, cut, seconds, workers, options,
                   partition_levels(sample.symbolic, cut, seconds, workers, options)});
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

TEST(LevelPartition, LevelsAreHeightsAboveTheGroups) {
  for_each_partition([](const Case& c) {
    std::vector<Index> expected(c.structure.panels(), c.cut.groups.empty() ? 0 : 1);
    for (Index p = 0; p < c.structure.panels(); ++p) {
      if (c.cut.group_of[p] >= 0) expected[p] = 0;
      const Index parent = c.structure.parent(p);
      if (parent >= 0) expected[parent] = std::max(expected[parent], expected[p] + 1);
    }
    EXPECT_EQ(c.partition.level, expected);
  });
}

TEST(LevelPartition, CoversEveryPanelOnce) {
  for_each_partition([](const Case& c) {
    const auto& level = c.partition.level;
    const auto& l_partition = c.partition.l_partition;
    ASSERT_EQ(std::ssize(level), c.structure.panels());
    ASSERT_EQ(std::ssize(c.partition.w_partition), c.structure.panels());
    ASSERT_EQ(std::ssize(l_partition), *std::max_element(level.begin(), level.end()) + 1);
    EXPECT_EQ(l_partition.front(), 0);
    for (std::size_t h = 1; h < l_partition.size(); ++h) {
      EXPECT_THAT(l_partition[h] - l_partition[h - 1], testing::AnyOf(0, 1)) << h;
    }
    EXPECT_THAT(c.partition.w_partition,
                Each(testing::AllOf(testing::Ge(0), testing::Lt(c.workers * c.options.parts))));
  });
}

TEST(LevelPartition, GroupsStayTogether) {
  for_each_partition([](const Case& c) {
    for (const auto& group : c.cut.groups) {
      const auto part = c.partition.w_partition.begin();
      EXPECT_EQ(
          std::count(part + group.panel_begin, part + group.panel_end, part[group.panel_begin]),
          group.panel_end - group.panel_begin);
    }
  });
}

TEST(LevelPartition, UpdatesStayInsideTheirWPartitionOrGoToALaterLPartition) {
  for_each_partition([](const Case& c) {
    for (Index p = 0; p < c.structure.panels(); ++p) {
      for (const Block& block : c.structure.blocks(p)) {
        const Index from = c.l_partition(p);
        const Index to = c.l_partition(block.facing);
        ASSERT_LE(from, to) << p << " -> " << block.facing;
        if (from < to) continue;
        EXPECT_EQ(c.partition.w_partition[p], c.partition.w_partition[block.facing])
            << p << " -> " << block.facing;
      }
    }
  });
}

/// Largest tree, average and largest load of the w-partitions, for each l-partition.
struct Loads {
  double tree = 0;
  double mean = 0;
  double largest = 0;
};

std::map<Index, Loads> loads_of(const Case& c) {
  std::map<Index, Loads> loads;
  std::map<std::pair<Index, Index>, double> part;
  std::vector<double> tree(c.seconds);
  for (Index p = 0; p < c.structure.panels(); ++p) {
    const Index here = c.l_partition(p);
    part[{here, c.partition.w_partition[p]}] += c.seconds[p];
    loads[here].mean += c.seconds[p] / (c.workers * c.options.parts);
    const Index parent = c.structure.parent(p);
    if (parent >= 0 && c.l_partition(parent) == here) tree[parent] += tree[p];
  }
  std::map<Index, double> group;
  for (Index p = 0; p < c.structure.panels(); ++p) {
    const Index parent = c.structure.parent(p);
    const bool root = parent < 0 || c.l_partition(parent) != c.l_partition(p);
    const Index g = c.cut.group_of[p];
    const double seconds = root && g >= 0 ? group[g] += tree[p] : tree[p];
    Loads& here = loads[c.l_partition(p)];
    here.tree = std::max(here.tree, seconds);
  }
  for (const auto& [place, seconds] : part) {
    Loads& here = loads[place.first];
    here.largest = std::max(here.largest, seconds);
  }
  return loads;
}

/// Graham's bound for list schedules: a worker that gets a tree has at most the average load so
/// far.
TEST(LevelPartition, PacksTreesWithinTheBoundOfListScheduling) {
  for_each_partition([](const Case& c) {
    const Index parts = c.workers * c.options.parts;
    for (const auto& [l, load] : loads_of(c)) {
      EXPECT_LE(load.largest, (load.mean + (1.0 - 1.0 / parts) * load.tree) * (1 + 1e-12))
          << "l-partition " << l;
    }
  });
}

TEST(LevelPartition, MergesAsManyLevelsAsAskedFor) {
  for_each_partition([](const Case& c) {
    if (c.options.levels == 0) return;
    for (std::size_t h = 0; h < c.partition.l_partition.size(); ++h) {
      EXPECT_EQ(c.partition.l_partition[h], static_cast<Index>(h) / c.options.levels);
    }
  });
}

/// The work of a single worker does not depend on the number of barriers.
TEST(LevelPartition, NeedsNoBarrierForOneWorker) {
  for_each_partition([](const Case& c) {
    if (c.workers > 1 || c.options.levels > 0) return;
    EXPECT_THAT(c.partition.l_partition, Each(0));
  });
}

TEST(LevelPartition, CutsWhereTreesBecomeTooFew) {
  const SymbolicFactor arrow =  // three leaves under one root
      support::structure_of(support::arrow_head_last(4), {"natural", 8, {{0, 0, 0, 0}, {}}});
  const SubtreeCut none = cut_subtrees(arrow, std::vector<double>(4, 1.0), 0);
  const LevelPartition two = partition_levels(arrow, none, std::vector{1.0, 1.0, 2.0, 1.0}, 2, {});
  EXPECT_THAT(two.level, ElementsAre(0, 0, 0, 1));
  EXPECT_THAT(two.l_partition, ElementsAre(0, 1));
  EXPECT_EQ(two.w_partition[0], two.w_partition[1]);
  EXPECT_NE(two.w_partition[0], two.w_partition[2]);
  const LevelPartition small =
      partition_levels(arrow, none, std::vector{1e-7, 1e-7, 2e-7, 1e-7}, 2, {});
  EXPECT_THAT(small.l_partition, ElementsAre(0, 0)) << "a barrier takes longer than all work";
}

TEST(LevelPartition, OfNothingIsEmpty) {
  const LevelPartition partition =
      partition_levels(PanelStructure{}, whole_forest(PanelStructure{}), {}, 2, {});
  EXPECT_TRUE(partition.level.empty());
  EXPECT_TRUE(partition.l_partition.empty());
  EXPECT_TRUE(partition.w_partition.empty());
}

}  // namespace
}  // namespace espalier::internal
