// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "graph/sample_graphs.hpp"
#include "graph/solve_tree.hpp"

namespace espalier {
namespace {

/// Calls visit(structure, cut, tree) for all samples and cuts.
template <class Visit>
void for_each_tree(Visit visit) {
  for (const support::NamedStructure& sample : support::sample_structures()) {
    for (const double share : support::shares) {
      SCOPED_TRACE(sample.name + ", cut at " + std::to_string(share));
      const SubtreeCut cut = support::cut_at_share(sample.symbolic, share);
      visit(sample.symbolic, cut, build_solve_tree(sample.symbolic, cut));
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(SolveTree, NodesCoverAllPanelsInOrder) {
  for_each_tree([](const auto& structure, const auto&, const SolveTree& tree) {
    Index panel = 0;
    Index columns = 0;
    double entries = 0;
    for (const auto& node : tree.node) {
      ASSERT_EQ(node.panel_begin, panel);
      ASSERT_GT(node.panel_end, panel);
      panel = node.panel_end;
      EXPECT_EQ(node.columns,
                structure.panel_begin[node.panel_end] - structure.panel_begin[node.panel_begin]);
      columns += node.columns;
      entries += node.entries;
      EXPECT_EQ(node.front_rows(), node.columns + std::ssize(node.external_rows));
    }
    EXPECT_EQ(panel, structure.panels());
    EXPECT_EQ(columns, structure.n);
    EXPECT_EQ(entries, static_cast<double>(structure.value_begin.back()));
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

/// What makes passing fronts from node to parent right: the parent holds all rows the child leaves.
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
  const SolveTree tree = build_solve_tree(symbolic, cut);
  ASSERT_EQ(tree.node.size(), 1u);
  EXPECT_EQ(tree.node[0].columns, 7);
  EXPECT_EQ(tree.node[0].parent, -1);
}

}  // namespace
}  // namespace espalier
