// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/delayed_columns.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "matrix/generators.hpp"
#include "ordering/adjacency.hpp"
#include "ordering/compression.hpp"
#include "support/matrices.hpp"
#include "support/problems.hpp"
#include "symbolic/brute_force.hpp"
#include "symbolic/supernodes.hpp"
#include "symbolic/symbolic_factor.hpp"

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
    EXPECT_EQ(order_with_delays(symbolic, none, 1).column, numbers(symbolic.n)) << name;
  }
}

TEST(DelayedColumns, FollowTheColumnsOfTheParent) {
  for (const auto& [name, symbolic] : support::sample_structures()) {
    for (Index p = 0; p < symbolic.panels(); ++p) {
      Marks marks(static_cast<std::size_t>(symbolic.n));
      const Index column = symbolic.panel_begin[p];
      marks[column] = 1;
      const std::vector<Index> order = order_with_delays(symbolic, marks, 1).column;
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
    const std::vector<Index> order = order_with_delays(symbolic, marks, symbolic.n).column;
    const auto place = std::ranges::find(order, 0) - order.begin();
    EXPECT_EQ(place, root == 0 ? 0 : symbolic.panel_begin[root + 1] - 1) << name;
    std::vector<Index> sorted = order;
    std::ranges::sort(sorted);
    EXPECT_EQ(sorted, numbers(symbolic.n)) << name;
  }
}

/// Marks about every third column.
Marks some_marks(Index n) {
  Marks marks(static_cast<std::size_t>(n));
  for (Index k = 0; k < n; ++k) marks[k] = k % 7 % 3 == 1 ? 1 : 0;
  return marks;
}

/// A matrix, its structure, the structure with delayed columns, and the order of these.
struct DelayedSample {
  std::string name;
  SparseMatrix matrix;
  SymbolicFactor before;
  DelayedOrder order;
  SymbolicFactor after;
};

std::vector<DelayedSample> delayed_samples(bool sizes_only) {
  std::vector<DelayedSample> samples;
  for (const auto& [name, matrix] : support::small_matrices()) {
    for (const Index levels : {1, 4, 1000}) {
      const CompressedGraph graph = uncompressed(adjacency(matrix.pattern));
      SymbolicOptions options;
      options.panel_width = 3;
      options.narrow_panel_width = 3;
      SymbolicFactor before =
          symbolic_factorization(graph, Permutation::identity(matrix.pattern.n), options);
      DelayedOrder order = order_with_delays(before, some_marks(before.n), levels);
      SymbolicFactor after = reordered(matrix.pattern, before, order, 1, sizes_only);
      samples.push_back({name, matrix, std::move(before), std::move(order), std::move(after)});
    }
  }
  return samples;
}

/// Returns, for each column of A, its panel in the order.
std::vector<Index> panels_of_a(const DelayedSample& sample) {
  std::vector<Index> panel(sample.order.column.size());
  for (std::size_t k = 0; k < panel.size(); ++k) {
    panel[sample.before.permutation.old_of[sample.order.column[k]]] = sample.order.panel[k];
  }
  return panel;
}

TEST(ReorderedStructure, HasAllEntriesOfL) {
  for (const DelayedSample& sample : delayed_samples(false)) {
    SCOPED_TRACE(sample.name);
    check(sample.after);
    const auto expected =
        brute_force_structure(adjacency(sample.matrix.pattern), sample.after.permutation);
    for (Index p = 0; p < sample.after.panels(); ++p) {
      const auto rows = sample.after.rows(p);
      for (Index k = 0; k < sample.after.width(p); ++k) {
        EXPECT_TRUE(
            std::ranges::includes(rows.subspan(k), expected[sample.after.panel_begin[p] + k]));
      }
    }
  }
}

TEST(ReorderedStructure, KeepsThePanels) {
  for (const DelayedSample& sample : delayed_samples(false)) {
    SCOPED_TRACE(sample.name);
    const std::vector<Index> panel_of = panels_of_a(sample);
    std::set<Index> seen;
    for (Index p = 0; p < sample.after.panels(); ++p) {
      std::set<Index> inside;
      for (Index k = sample.after.panel_begin[p]; k < sample.after.panel_begin[p + 1]; ++k) {
        inside.insert(panel_of[sample.after.permutation.old_of[k]]);
      }
      EXPECT_EQ(inside.size(), 1U) << "panel " << p;
      EXPECT_TRUE(seen.insert(*inside.begin()).second) << "panel " << p << " is divided";
    }
  }
}

TEST(ReorderedStructure, HasTheSameSizesWithoutRows) {
  const std::vector<DelayedSample> whole = delayed_samples(false);
  const std::vector<DelayedSample> sizes = delayed_samples(true);
  for (std::size_t k = 0; k < whole.size(); ++k) {
    SCOPED_TRACE(whole[k].name);
    const SymbolicFactor& sizes_only = sizes[k].after;
    const SymbolicFactor& complete = whole[k].after;
    EXPECT_EQ(sizes_only.permutation.old_of, complete.permutation.old_of);
    EXPECT_EQ(sizes_only.supernode_begin, complete.supernode_begin);
    EXPECT_EQ(sizes_only.supernode_parent, complete.supernode_parent);
    EXPECT_EQ(sizes_only.row_begin, complete.row_begin);
    EXPECT_EQ(sizes_only.panel_begin, complete.panel_begin);
    EXPECT_EQ(sizes_only.value_begin, complete.value_begin);
    EXPECT_TRUE(sizes_only.row.empty());
  }
}

TEST(ReorderedStructure, HasNoPairs) {
  const SparseMatrix matrix = generate_matrix("laplace2d:6");
  MatchedColumns pairs;
  for (Index k = 0; k < matrix.pattern.n; ++k) pairs.partner.push_back(k ^ 1);
  const CompressedGraph graph = merge_pairs(matrix.pattern, pairs);
  const SymbolicFactor before =
      symbolic_factorization(graph, Permutation::identity(graph.graph.n), {});
  ASSERT_FALSE(before.partner.empty());
  const DelayedOrder order = order_with_delays(before, some_marks(before.n), 2);
  EXPECT_TRUE(reordered(matrix.pattern, before, order, 1, false).partner.empty());
}

}  // namespace
}  // namespace espalier::internal
