// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/subtree_groups.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "symbolic/etree.hpp"

namespace espalier {
namespace {

using List = std::vector<Index>;

/// A complete binary tree of the given height in postorder.
List binary_tree(Index height) {
  List parent;
  const auto grow = [&](auto&& self, Index levels) -> Index {
    List children;
    for (Index side = 0; levels > 0 && side < 2; ++side) {
      children.push_back(self(self, levels - 1));
    }
    const auto root = static_cast<Index>(parent.size());
    parent.push_back(-1);
    for (const Index child : children) parent[child] = root;
    return root;
  };
  grow(grow, height);
  return parent;
}

/// Whether the groups and the top hold every vertex once, and groups whole subtrees.
void expect_cut(const SubtreeGroups& groups, const List& parent) {
  const auto n = static_cast<Index>(parent.size());
  std::vector<Index> part(n, -1);
  for (Index g = 0; g < groups.count(); ++g) groups.for_each_in(g, [&](Index v) { part[v] = g; });
  for (const Index v : groups.top) {
    EXPECT_EQ(part[v], -1) << v;
    part[v] = groups.count();
  }
  for (Index v = 0; v < n; ++v) {
    ASSERT_NE(part[v], -1) << v;
    if (parent[v] == -1) continue;
    EXPECT_TRUE(part[parent[v]] == part[v] || part[parent[v]] == groups.count()) << v;
  }
}

TEST(GroupSubtrees, MakesOneGroupForOneWorker) {
  const List parent = binary_tree(4);
  const SubtreeGroups groups = group_subtrees(parent, List(parent.size(), 1'000'000), 1);
  EXPECT_EQ(groups.border, (List{0, 31}));
  EXPECT_TRUE(groups.top.empty());
}

TEST(GroupSubtrees, LeavesLittleWorkTogether) {
  const List parent = binary_tree(4);
  const SubtreeGroups groups = group_subtrees(parent, List(parent.size(), 1), 2);
  EXPECT_EQ(groups.count(), 1);
  EXPECT_TRUE(groups.top.empty());
}

TEST(GroupSubtrees, CutsWholeSubtreesBelowATop) {
  for (const Index workers : {2, 3, 8}) {
    for (const List& parent :
         {binary_tree(9), List{1, 2, 3, 4, -1}, List{-1, -1, -1}, List{3, 3, 3, -1, -1, 6, -1}}) {
      const SubtreeGroups groups = group_subtrees(parent, List(parent.size(), 100'000), workers);
      expect_cut(groups, parent);
      EXPECT_GT(groups.count() + static_cast<Index>(groups.top.size()), 1);
    }
  }
}

TEST(GroupSubtrees, LeavesNoGroupMoreThanItsShare) {
  const List parent = binary_tree(12);
  const auto n = static_cast<Index>(parent.size());
  const SubtreeGroups groups = group_subtrees(parent, List(n, 1'000), 2);
  EXPECT_GE(groups.count(), 4);
  for (Index g = 0; g < groups.count(); ++g) {
    Index members = 0;
    groups.for_each_in(g, [&](Index) { ++members; });
    EXPECT_LE(members, n / 4 + n / 8);
  }
}

TEST(GroupSubtrees, OfNothing) {
  for (const Index workers : {1, 2}) {
    const SubtreeGroups groups = group_subtrees(List{}, List{}, workers);
    for (Index g = 0; g < groups.count(); ++g) groups.for_each_in(g, [](Index) { FAIL(); });
    EXPECT_TRUE(groups.top.empty());
  }
}

}  // namespace
}  // namespace espalier
