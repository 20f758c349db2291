// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/subtrees.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "matrix/generators.hpp"
#include "support/problems.hpp"

namespace espalier::internal {
namespace {

using support::NamedStructure;
using support::sample_structures;
using testing::ElementsAre;
using testing::ElementsAreArray;

std::vector<double> limits_for(const std::vector<double>& seconds) {
  const double total = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  return {0, total / 100, total / 20, total / 10, total / 4, total / 1.5, 2 * total};
}

/// Calls visit(structure, seconds, limit, cut) for all samples and several limits.
template <class Visit>
void for_each_sample_cut(Visit visit) {
  for (const NamedStructure& sample : sample_structures()) {
    const std::vector<double> seconds = panel_seconds(sample.symbolic, KernelCost{});
    for (const double limit : limits_for(seconds)) {
      SCOPED_TRACE(sample.name + ", limit " + std::to_string(limit));
      visit(sample.symbolic, seconds, limit, cut_subtrees(sample.symbolic, seconds, limit));
      if (testing::Test::HasFailure()) return;
    }
  }
}

/// Multiplies the numbers of entries of the samples by a large factor, which needs no memory.
TEST(SubtreeCut, HasNoGroupThatIsTooLarge) {
  bool is_several = false;
  for (const NamedStructure& sample : sample_structures()) {
    PanelStructure large = sample.symbolic;
    const Count all = large.value_begin.back();
    if (all == 0) continue;
    const Count scale = 3 * most_entries_of_group / all;
    for (Count& begin : large.value_begin) begin *= scale;
    const SubtreeCut cut = whole_forest(large);
    is_several = is_several || cut.groups.size() > 1;
    for (const auto& group : cut.groups) {
      EXPECT_LE(large.value_begin[group.panel_end] - large.value_begin[group.panel_begin],
                most_entries_of_group)
          << sample.name;
    }
    EXPECT_LE(whole_forest(sample.symbolic).groups.size(), 1u) << sample.name;
  }
  EXPECT_TRUE(is_several);
}

TEST(PanelSeconds, ArePositiveForEveryPanel) {
  for (const NamedStructure& sample : sample_structures()) {
    const std::vector<double> seconds = panel_seconds(sample.symbolic, KernelCost{});
    ASSERT_EQ(std::ssize(seconds), sample.symbolic.panels());
    for (const double s : seconds) EXPECT_GT(s, 0) << sample.name;
  }
}

TEST(BlockSeconds, AddUpToThoseOfThePanels) {
  KernelCost cost;
  cost.column = 1e-6;
  for (const NamedStructure& sample : sample_structures()) {
    const PanelStructure& s = sample.symbolic;
    const std::vector<double> block = block_seconds(s, cost);
    const std::vector<double> panel = panel_seconds(s, block);
    ASSERT_EQ(block.size(), s.block.size());
    for (Index p = 0; p < s.panels(); ++p) {
      const Index width = s.width(p);
      double sum = cost.fill(Count{width} * s.height(p), width) + cost.potrf(width) +
                   cost.trsm(s.height(p) - width, width);
      EXPECT_DOUBLE_EQ(block[s.block_begin[p]], sum);
      for (Count b = s.block_begin[p] + 1; b < s.block_begin[p + 1]; ++b) {
        const Index begin = s.block[b].row_offset;
        const double update = cost.update(s.height(p) - begin, s.block_end(p, b) - begin, width);
        EXPECT_DOUBLE_EQ(block[b], update);
        sum += update;
      }
      EXPECT_NEAR(panel[p], sum, 1e-12 * sum) << sample.name;
    }
  }
}

TEST(BlockSeconds, DoNotDependOnTheNumberOfThreads) {
  const SymbolicFactor symbolic = support::structure_of(generate_matrix("laplace2d:250"));
  ASSERT_GT(symbolic.panels(), 4'000);  // enough for several threads
  const KernelCost cost;
  for (const Index threads : {2, 3}) {
    EXPECT_EQ(block_seconds(symbolic, cost, threads), block_seconds(symbolic, cost));
    EXPECT_EQ(path_seconds(symbolic, cost, threads), path_seconds(symbolic, cost));
  }
}

TEST(PanelSeconds, OfALoneDiagonalBlockAreFillAndPotrf) {
  const SymbolicFactor symbolic = support::structure_of(support::dense_random(8, 1));
  ASSERT_EQ(symbolic.panels(), 1);
  const KernelCost cost;
  EXPECT_DOUBLE_EQ(panel_seconds(symbolic, cost)[0], cost.fill(64) + cost.potrf(8));
}

TEST(SubtreeCut, GroupsAreDisjointRangesOfPanels) {
  for_each_sample_cut([](const auto& structure, const auto&, double, const SubtreeCut& cut) {
    std::vector<Index> group_of(structure.panels(), -1);
    Index end = 0;
    for (std::size_t g = 0; g < cut.groups.size(); ++g) {
      const auto& group = cut.groups[g];
      ASSERT_LE(end, group.panel_begin);
      ASSERT_LT(group.panel_begin, group.panel_end);
      end = group.panel_end;
      std::fill(group_of.begin() + group.panel_begin, group_of.begin() + end,
                static_cast<Index>(g));
    }
    ASSERT_LE(end, structure.panels());
    EXPECT_EQ(cut.group_of, group_of);
  });
}

TEST(SubtreeCut, GroupsAreClosedUnderDescendants) {
  for_each_sample_cut([](const auto& structure, const auto&, double, const SubtreeCut& cut) {
    for (Index p = 0; p < structure.panels(); ++p) {
      const Index parent = structure.parent(p);
      if (parent >= 0 && cut.group_of[parent] >= 0) {
        ASSERT_EQ(cut.group_of[p], cut.group_of[parent]) << "panel " << p;
      }
    }
  });
}

TEST(SubtreeCut, GroupsStayBelowTheLimit) {
  for_each_sample_cut([](const auto&, const auto& seconds, double limit, const SubtreeCut& cut) {
    for (const auto& group : cut.groups) {
      const double sum = std::accumulate(seconds.begin() + group.panel_begin,
                                         seconds.begin() + group.panel_end, 0.0);
      EXPECT_LE(sum, limit * (1 + 1e-12));
    }
  });
}

/// Returns the seconds of each supernode with all its descendants.
std::vector<double> supernode_subtrees(const SymbolicFactor& symbolic,
                                       const std::vector<double>& seconds) {
  std::vector<double> sum(symbolic.supernodes(), 0.0);
  for (Index p = 0; p < symbolic.panels(); ++p) sum[symbolic.panel_supernode[p]] += seconds[p];
  for (Index s = 0; s < symbolic.supernodes(); ++s) {
    if (symbolic.supernode_parent[s] >= 0) sum[symbolic.supernode_parent[s]] += sum[s];
  }
  return sum;
}

/// The cut may be between the panels of a supernode that is split.
TEST(SubtreeCut, LeavesNoSubtreeOfASupernodeBelowTheLimitAboveTheCut) {
  for_each_sample_cut(
      [](const auto& structure, const auto& seconds, double limit, const SubtreeCut& cut) {
        const std::vector<double> subtree = supernode_subtrees(structure, seconds);
        for (Index p = 0; p < structure.panels(); ++p) {
          if (subtree[structure.panel_supernode[p]] <= limit * (1 - 1e-12)) {
            EXPECT_GE(cut.group_of[p], 0) << "panel " << p;
          }
        }
      });
}

TEST(SubtreeCut, ExternalRowsAreTheUnionOfAllRowsOutside) {
  for_each_sample_cut([](const auto& structure, const auto&, double, const SubtreeCut& cut) {
    for (const auto& group : cut.groups) {
      std::set<Index> outside;
      for (Index p = group.panel_begin; p < group.panel_end; ++p) {
        for (const Index row : structure.rows(p)) {
          if (row >= structure.panel_begin[group.panel_end]) outside.insert(row);
        }
      }
      EXPECT_THAT(cut.external_rows(group), ElementsAreArray(outside));
      EXPECT_EQ(cut.external_size(group), std::ssize(outside));
    }
  });
}

TEST(SubtreeCut, SubtreesThatShareAGroupHaveOneSupernodeAsParent) {
  for_each_sample_cut([](const auto& structure, const auto&, double, const SubtreeCut& cut) {
    for (const auto& group : cut.groups) {
      std::set<Index> parents;
      for (Index p = group.panel_begin; p < group.panel_end; ++p) {
        const Index parent = structure.parent(p);
        if (parent < 0) parents.insert(-1);
        if (parent >= group.panel_end) parents.insert(structure.panel_supernode[parent]);
      }
      EXPECT_EQ(parents.size(), 1u);
    }
  });
}

TEST(PathSeconds, AreThoseOfThreeTasksAndOfNoMoreThanThePanel) {
  KernelCost cost;
  for (const double overhead : {0.0, 1e-3}) {
    cost.task_overhead = overhead;
    for (const NamedStructure& sample : sample_structures()) {
      const std::vector<double> all = panel_seconds(sample.symbolic, cost);
      const std::vector<double> path = path_seconds(sample.symbolic, cost);
      for (Index p = 0; p < sample.symbolic.panels(); ++p) {
        EXPECT_GT(path[p], 3 * overhead) << sample.name;
        EXPECT_LT(path[p], 3 * overhead + all[p]) << sample.name;
      }
    }
  }
}

/// Returns a path 0 - 1 - 2 - ... of n vertices. Each vertex is a panel.
SymbolicFactor chain(Index n) {
  return support::structure_of(support::tridiagonal(n), {"natural", 8, {{0, 0, 0, 0}, {}}});
}

TEST(SubtreeCut, LeavesNoChainAboveWhoseTasksTakeLongerThanItself) {
  const SymbolicFactor symbolic = chain(1000);
  ASSERT_GT(symbolic.panels(), 900);
  const std::vector<double> seconds(symbolic.panels(), 1.0);
  std::vector<double> path(symbolic.panels(), 1.5);
  EXPECT_THAT(cut_subtrees(symbolic, seconds, 100, path).group_of, testing::Each(0));
  std::fill(path.begin(), path.end(), 0.5);
  EXPECT_EQ(cut_subtrees(symbolic, seconds, 100, path).groups[0].panel_end, 100);
}

/// The group of a chain may include a panel that alone deserves tasks. The group grows as long as
/// the whole subtree, as one task, ends no later than the longest path of separate tasks would.
TEST(SubtreeCut, WeighsAChainAgainstAllBelowIt) {
  const SymbolicFactor symbolic = chain(100);
  ASSERT_EQ(std::ssize(symbolic.supernode_begin) - 1, symbolic.panels());
  std::vector<double> seconds(symbolic.panels(), 1.0);
  seconds[10] = 50;  // seconds; other workers may do 48 of them
  const std::vector<double> path(symbolic.panels(), 2.0);
  const std::vector<Index> group_of = cut_subtrees(symbolic, seconds, 5, path).group_of;
  EXPECT_THAT(group_of, testing::Each(0));
  for (const Index panels : {20, 57, 58, 59, 60}) {
    const SymbolicFactor shorter = chain(panels + 1);
    seconds.resize(shorter.panels());
    const bool all = 49 + shorter.panels() <= 2 * shorter.panels();
    EXPECT_EQ(cut_subtrees(shorter, std::span(seconds).first(shorter.panels()), 5,
                           std::span(path).first(shorter.panels()))
                      .group_of.back() == 0,
              all)
        << shorter.panels();
  }
}

TEST(SubtreeCut, WithPathsIsClosedUnderDescendants) {
  KernelCost cost;
  for (const double overhead : {0.0, 1e-6, 1e-3}) {
    cost.task_overhead = overhead;
    for (const NamedStructure& sample : sample_structures()) {
      const PanelStructure& s = sample.symbolic;
      const std::vector<double> seconds = panel_seconds(s, cost);
      const SubtreeCut cut = cut_subtrees(s, seconds, 0, path_seconds(s, cost));
      if (overhead == 1e-3) {
        EXPECT_THAT(cut.group_of, testing::Each(testing::Ge(0))) << sample.name;
      }
      for (Index p = 0; p < s.panels(); ++p) {
        if (s.parent(p) < 0 || cut.group_of[s.parent(p)] < 0) continue;
        EXPECT_EQ(cut.group_of[p], cut.group_of[s.parent(p)]) << sample.name << ", panel " << p;
      }
    }
  }
}

TEST(SubtreeCut, GathersLeavesUnderOneParent) {
  const SymbolicFactor arrow =
      support::structure_of(support::arrow_head_last(9), {"natural", 8, {{0, 0, 0, 0}, {}}});
  ASSERT_EQ(arrow.panels(), 9);
  const std::vector<double> seconds(9, 1.0);
  const SubtreeCut cut = cut_subtrees(arrow, seconds, 3.5);
  ASSERT_EQ(cut.groups.size(), 3u);
  EXPECT_THAT(cut.group_of, ElementsAre(0, 0, 0, 1, 1, 1, 2, 2, -1));
  for (const auto& group : cut.groups) EXPECT_THAT(cut.external_rows(group), ElementsAre(8));
}

TEST(SubtreeCut, OfTheWholeForestIsOneGroupWithoutRowsOutside) {
  for (const NamedStructure& sample : sample_structures()) {
    const SubtreeCut cut = whole_forest(sample.symbolic);
    ASSERT_EQ(cut.groups.size(), 1u) << sample.name;
    EXPECT_EQ(cut.groups[0].panel_begin, 0);
    EXPECT_EQ(cut.groups[0].panel_end, sample.symbolic.panels());
    EXPECT_EQ(cut.external_size(cut.groups[0]), 0);
    EXPECT_THAT(cut.group_of, testing::Each(0));
  }
}

TEST(SubtreeCut, OfNothingIsEmpty) {
  const SubtreeCut cut = whole_forest(PanelStructure{});
  EXPECT_TRUE(cut.groups.empty());
  EXPECT_TRUE(cut.group_of.empty());
}

}  // namespace
}  // namespace espalier::internal
