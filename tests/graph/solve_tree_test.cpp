// SPDX-License-Identifier: BSD-3-Clause

#include "graph/solve_tree.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <set>

#include "graph/rank_graphs.hpp"
#include "graph/sample_graphs.hpp"
#include "matrix/generators.hpp"

namespace espalier::internal {
namespace {

/// From about one entry, so that every supernode is cut, to one tile per node.
constexpr Count tile_sizes[] = {1, 12, 100, 1000000};

/// Calls visit(structure, cut, tree) for all samples, cuts and sizes of tiles.
template <class Visit>
void for_each_tree(Visit visit) {
  for (const support::NamedStructure& sample : support::sample_structures()) {
    for (const double share : support::shares) {
      const SubtreeCut cut = support::cut_at_share(sample.symbolic, share);
      for (const Count size : tile_sizes) {
        SCOPED_TRACE(sample.name + ", cut at " + std::to_string(share) + ", tiles of " +
                     std::to_string(size));
        visit(sample.symbolic, cut,
              build_solve_tree({sample.symbolic, sole_ownership(sample.symbolic)}, cut, size));
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

TEST(SolveTree, NodesCoverAllPanelsInOrder) {
  for_each_tree([](const auto& structure, const auto&, const SolveTree& tree) {
    Index panel = 0;
    for (const auto& node : tree.node) {
      ASSERT_EQ(node.panel_begin, panel);
      ASSERT_GT(node.panel_end, panel);
      panel = node.panel_end;
      EXPECT_EQ(node.columns,
                structure.panel_begin[node.panel_end] - structure.panel_begin[node.panel_begin]);
      EXPECT_EQ(node.node_rows(), node.columns + std::ssize(node.external_rows));
    }
    EXPECT_EQ(panel, structure.panels());
  });
}

TEST(SolveTree, SegmentsDivideTheFrontOfEachNode) {
  for_each_tree([](const auto&, const auto&, const SolveTree& tree) {
    Index segment = 0;
    for (const auto& node : tree.node) {
      ASSERT_EQ(node.segment_begin, segment);
      Index row = 0;
      bool boundary = node.segment_end - node.segment_begin == 1;
      for (; segment < node.segment_end; ++segment) {
        ASSERT_EQ(tree.segment[segment].row_begin, row);
        ASSERT_GT(tree.segment[segment].row_end, row);
        row = tree.segment[segment].row_end;
        boundary |= row == node.columns;
      }
      EXPECT_EQ(row, node.node_rows());
      EXPECT_TRUE(boundary) << "a segment has columns of the node and external rows";
    }
    EXPECT_EQ(segment, std::ssize(tree.segment));
  });
}

/// Every entry of L is in one tile, and every tile follows the rules that tasks assume.
TEST(SolveTree, TilesDivideTheEntriesOfL) {
  for_each_tree([](const auto& structure, const auto&, const SolveTree& tree) {
    std::vector<Index> covered(structure.panels());  // number of covered rows of each panel
    double entries = 0;
    for (const auto& tile : tree.tile) {
      const auto& node = tree.node[tile.node];
      const Index row_begin = tree.segment[tile.segment_begin].row_begin;
      const Index row_end = tree.segment[tile.segment_end - 1].row_end;
      for (Index p = tile.panel_begin; p < tile.panel_end; ++p) {
        const Index own = structure.panel_begin[p] - structure.panel_begin[node.panel_begin];
        if (node.supernode) {
          EXPECT_EQ(covered[p], std::max(row_begin - own, 0));
          covered[p] = row_end - own;
        } else {
          covered[p] = structure.height(p);
        }
        const auto& holder = tree.segment[tree.own_segment(tile)];
        EXPECT_LE(holder.row_begin, own);
        EXPECT_LE(own + structure.width(p), holder.row_end);
      }
      entries += tile.entries;
    }
    double expected = 0;
    for (Index p = 0; p < structure.panels(); ++p) {
      EXPECT_EQ(covered[p], structure.height(p));
      const double width = structure.width(p);
      expected += width * structure.height(p) - width * (width - 1) / 2;
    }
    EXPECT_EQ(entries, expected);
  });
}

TEST(SolveTree, NodesAreGroupsOrPanelsOfOneSupernode) {
  for_each_tree([](const auto& structure, const SubtreeCut& cut, const SolveTree& tree) {
    for (const auto& node : tree.node) {
      const Index group = cut.group_of[node.panel_begin];
      for (Index p = node.panel_begin; p < node.panel_end; ++p) {
        EXPECT_EQ(cut.group_of[p], group);
        if (group < 0) {
          EXPECT_EQ(structure.panel_supernode[p], structure.panel_supernode[node.panel_begin]);
        }
      }
    }
  });
}

TEST(SolveTree, ExternalRowsAreAllRowsOutside) {
  for_each_tree([](const auto& structure, const auto&, const SolveTree& tree) {
    for (const auto& node : tree.node) {
      std::set<Index> outside;
      for (Index p = node.panel_begin; p < node.panel_end; ++p) {
        for (const Index row : structure.rows(p)) {
          if (row >= structure.panel_begin[node.panel_end]) outside.insert(row);
        }
      }
      EXPECT_THAT(node.external_rows, testing::ElementsAreArray(outside));
    }
  });
}

/// A node can pass its external rows to its parent, because the parent has all of them.
TEST(SolveTree, ParentsHoldTheExternalRowsOfTheirChildren) {
  for_each_tree([](const auto& structure, const auto&, const SolveTree& tree) {
    for (std::size_t i = 0; i < tree.node.size(); ++i) {
      const auto& node = tree.node[i];
      EXPECT_EQ(node.parent < 0, node.external_rows.empty());
      if (node.parent < 0) continue;
      ASSERT_GT(node.parent, static_cast<Index>(i));
      const auto& parent = tree.node[node.parent];
      const Index first = structure.panel_begin[parent.panel_begin];
      const Index end = structure.panel_begin[parent.panel_end];
      const std::set<Index> outside(parent.external_rows.begin(), parent.external_rows.end());
      EXPECT_LT(node.external_rows.front(), end);
      for (const Index row : node.external_rows) {
        EXPECT_TRUE((first <= row && row < end) || outside.contains(row)) << "row " << row;
      }
    }
  });
}

TEST(SolveTree, OfTheWholeForestIsOneNode) {
  const auto symbolic = support::structure_of(support::separable());
  const SubtreeCut cut = whole_forest(symbolic);
  const SolveTree tree = build_solve_tree({symbolic, sole_ownership(symbolic)}, cut, 1);
  ASSERT_EQ(tree.node.size(), 1u);
  EXPECT_EQ(tree.node[0].columns, 7);
  EXPECT_EQ(tree.node[0].parent, -1);
  EXPECT_EQ(tree.tile.size(), 1u);
}

/// Shared external rows do not have a node in the tree of a domain.
TEST(SolveTree, OfADomainHasItsPanelsAlone) {
  support::for_each_rank_tilings([](const auto&, const support::RankTilings& ranks) {
    for (const LocalStructure& local : ranks.local) {
      const SubtreeCut cut = cut_for_solve(local, KernelCost{}, 1);
      const SolveTree tree = build_solve_tree(local, cut, 40);
      Index panel = 0;
      for (const auto& node : tree.node) {
        ASSERT_EQ(node.panel_begin, panel);
        panel = node.panel_end;
        const bool inside =
            !node.external_rows.empty() && node.external_rows.front() < local.own_columns();
        EXPECT_EQ(node.parent >= 0, inside);
      }
      EXPECT_EQ(panel, local.shared_begin);
    }
  });
}

TEST(CutForSolve, LeavesSharedPanelsAlone) {
  support::for_each_rank_tilings([](const auto&, const support::RankTilings& ranks) {
    for (const LocalStructure& local : ranks.local) {
      const SubtreeCut cut = cut_for_solve(local, KernelCost{}, 2);
      for (Index p = local.shared_begin; p < local.panels(); ++p) EXPECT_EQ(cut.group_of[p], -1);
    }
  });
}

TEST(SolveSeconds, AreThoseOfTheTilesTogether) {
  const KernelCost cost;
  constexpr Count uncut = Count{1} << 40;
  for (const support::NamedStructure& sample : support::sample_structures()) {
    const std::vector<double> seconds = solve_seconds(sample.symbolic, cost);
    const double total = std::accumulate(seconds.begin(), seconds.end(), 0.0);
    const Ownership everything = sole_ownership(sample.symbolic);
    const PartView part{sample.symbolic, everything};
    const SubtreeCut cut = cut_for_solve(part, cost, 2);
    double sum = 0;
    for (const auto& tile : build_solve_tree(part, cut, uncut).tile) {
      sum += cost.solve(tile.entries, tile.rows, 1);
    }
    EXPECT_NEAR(sum, total, 1e-9 * total) << sample.name;
    EXPECT_GT(total, cost.solve(static_cast<double>(sample.symbolic.nnz_l), 0, 1));
  }
}

TEST(CutForSolve, LeavesNoChainOfSmallPanelsAbove) {
  const SymbolicFactor chain =
      support::structure_of(support::tridiagonal(20000), {"natural", 8, {}});
  const Ownership everything = sole_ownership(chain);
  EXPECT_EQ(cut_for_solve({chain, everything}, KernelCost{}, 8).groups.size(), 1u);
}

TEST(CutForSolve, HasNoTinySubtreesForManyWorkers) {
  const SymbolicFactor grid = support::structure_of(generate_matrix("laplace2d:100"));
  const auto subtrees = [&](Index workers) {
    return cut_for_solve({grid, sole_ownership(grid)}, KernelCost{}, workers).groups.size();
  };
  EXPECT_LT(subtrees(1), subtrees(2));
  EXPECT_EQ(subtrees(64), subtrees(256));
}

TEST(CutForSolve, LeavesNoSubtreeAboveAThirdOfAWorkersShare) {
  const auto table = std::make_shared<CostTable>();  // no overhead, so that no chain becomes a task
  table->read = 1;                                   // so that no subtree is too short
  KernelCost cost;
  cost.measured = table;
  for (const support::NamedStructure& sample : support::sample_structures()) {
    const std::vector<double> seconds = solve_seconds(sample.symbolic, cost);
    const double total = std::accumulate(seconds.begin(), seconds.end(), 0.0);
    for (const Index workers : {1, 2, 8}) {
      const SubtreeCut cut =
          cut_for_solve({sample.symbolic, sole_ownership(sample.symbolic)}, cost, workers);
      for (const auto& group : cut.groups) {
        const double sum = std::accumulate(seconds.begin() + group.panel_begin,
                                           seconds.begin() + group.panel_end, 0.0);
        EXPECT_LE(sum, 1.000001 * total / (3 * workers)) << sample.name;
      }
    }
  }
}

}  // namespace
}  // namespace espalier::internal
