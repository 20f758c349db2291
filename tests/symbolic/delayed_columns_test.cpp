// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/delayed_columns.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "support/problems.hpp"
#include "symbolic/supernodes.hpp"

namespace espalier::internal {
namespace {

using Marks = std::vector<std::uint8_t>;

std::vector<Index> numbers(Index n) {
  std::vector<Index> all(static_cast<std::size_t>(n));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

TEST(PanelParents, AreThoseOfTheStructure) {
  for (const auto& [name, symbolic] : support::sample_structures()) {
    std::vector<Index> expected;
    for (Index p = 0; p < symbolic.panels(); ++p) expected.push_back(symbolic.parent(p));
    EXPECT_EQ(panel_parents(symbolic.panel_supernode, symbolic.supernode_parent), expected) << name;
  }
}

TEST(DelayedColumns, WithoutMarksKeepTheirOrder) {
  for (const auto& [name, symbolic] : support::sample_structures()) {
    const Marks none(static_cast<std::size_t>(symbolic.n));
    EXPECT_EQ(order_with_delays(symbolic, none, 1), numbers(symbolic.n)) << name;
  }
}

TEST(DelayedColumns, FollowTheColumnsOfTheParent) {
  for (const auto& [name, symbolic] : support::sample_structures()) {
    for (Index p = 0; p < symbolic.panels(); ++p) {
      Marks marks(static_cast<std::size_t>(symbolic.n));
      const Index column = symbolic.panel_begin[p];
      marks[column] = 1;
      const std::vector<Index> order = order_with_delays(symbolic, marks, 1);
      std::vector<Index> expected = numbers(symbolic.n);
      if (const Index above = symbolic.parent(p); above >= 0) {
        std::rotate(expected.begin() + column, expected.begin() + column + 1,
                    expected.begin() + symbolic.panel_begin[above + 1]);
      }
      EXPECT_EQ(order, expected) << name << ", panel " << p;
    }
  }
}

TEST(DelayedColumns, ReachTheRootAfterEnoughSteps) {
  for (const auto& [name, symbolic] : support::sample_structures()) {
    Marks marks(static_cast<std::size_t>(symbolic.n));
    marks[0] = 1;
    Index root = 0;
    while (symbolic.parent(root) >= 0) root = symbolic.parent(root);
    const std::vector<Index> order = order_with_delays(symbolic, marks, symbolic.n);
    const auto place = std::ranges::find(order, 0) - order.begin();
    EXPECT_EQ(place, root == 0 ? 0 : symbolic.panel_begin[root + 1] - 1) << name;
    std::vector<Index> sorted = order;
    std::ranges::sort(sorted);
    EXPECT_EQ(sorted, numbers(symbolic.n)) << name;
  }
}

}  // namespace
}  // namespace espalier::internal
