// SPDX-License-Identifier: BSD-3-Clause

#include "symbolic/supernodes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "ordering/ordering.hpp"
#include "symbolic/brute_force.hpp"
#include "symbolic/column_counts.hpp"
#include "symbolic/sample_graphs.hpp"

namespace espalier::internal {
namespace {

using List = std::vector<Index>;

Supernodes natural_supernodes(const AdjacencyGraph& graph) {
  const EliminationOrder order =
      elimination_order(uncompressed(graph), Permutation::identity(graph.n));
  return fundamental_supernodes(order.parent, column_counts(order), order.weight);
}

TEST(FundamentalSupernodes, OfExtremeShapes) {
  EXPECT_EQ(natural_supernodes(edgeless_graph(0)).begin, List{0});
  EXPECT_EQ(natural_supernodes(edgeless_graph(1)).begin, (List{0, 1}));
  EXPECT_EQ(natural_supernodes(edgeless_graph(3)).begin, (List{0, 1, 2, 3}));
  EXPECT_EQ(natural_supernodes(path_graph(5)).begin, (List{0, 1, 2, 3, 5}));
  EXPECT_EQ(natural_supernodes(complete_graph(5)).begin, (List{0, 5}));
  EXPECT_EQ(natural_supernodes(star_graph(5, 4)).begin, (List{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(natural_supernodes(star_graph(5, 0)).begin, (List{0, 5}));
}

TEST(FundamentalSupernodes, FormATree) {
  // Two triangles that share vertex 4.
  const Supernodes supernodes =
      natural_supernodes(graph_of(5, {{0, 1}, {0, 4}, {1, 4}, {2, 3}, {2, 4}, {3, 4}}));
  EXPECT_EQ(supernodes.begin, (List{0, 2, 4, 5}));
  EXPECT_EQ(supernodes.parent, (List{2, 2, -1}));
  EXPECT_EQ(supernodes.height, (List{3, 3, 1}));
  EXPECT_EQ(supernodes.width[1], 2);
  EXPECT_EQ(supernodes.below(1), 1);
}

TEST(FundamentalSupernodes, AreTheLongestChainsOfOneStructure) {
  for (const Sample& sample : sample_graphs()) {
    SCOPED_TRACE(sample.name);
    const EliminationOrder order = elimination_order(sample.compressed, sample.ordering);
    const ColumnNumbering columns = columns_of(sample, order);
    const auto structure = brute_force_structure(sample.graph, columns.permutation);
    List parent;
    for (const auto& column : structure) parent.push_back(column.size() > 1 ? column[1] : -1);
    List begin{0};  // in columns
    for (Index c = 1; c <= sample.graph.n; ++c) {
      const bool continues =
          c < sample.graph.n && std::count(parent.begin(), parent.end(), c) == 1 &&
          List(structure[c - 1].begin() + 1, structure[c - 1].end()) == structure[c];
      if (!continues) begin.push_back(c);
    }
    const Supernodes supernodes =
        fundamental_supernodes(order.parent, column_counts(order), order.weight);
    ASSERT_EQ(supernodes.begin.size(), begin.size());
    for (Index s = 0; s < supernodes.count(); ++s) {
      EXPECT_EQ(columns.column_begin[supernodes.begin[s]], begin[s]);
      EXPECT_EQ(supernodes.width[s], begin[s + 1] - begin[s]);
      EXPECT_EQ(supernodes.height[s], static_cast<Index>(structure[begin[s]].size()));
    }
  }
}

TEST(SupernodeOfColumn, InvertsTheFirstColumns) {
  EXPECT_EQ(supernode_of_column(List{0}), List{});
  EXPECT_EQ(supernode_of_column(List{0, 2, 3, 6}), (List{0, 0, 1, 2, 2, 2}));
}

}  // namespace
namespace {

using List = std::vector<Index>;

AmalgamationOptions one_rule(Index width, double zeros) {
  return {{width, 0, 0, 0}, {zeros, 0, 0, 0}};
}

constexpr Index any_width = std::numeric_limits<Index>::max();

/// Two children of 4 columns under a parent of 4. Child 0 faces the whole parent, child 1 one
/// column.
Supernodes two_children() { return {{0, 4, 8, 12}, {2, 2, -1}, {4, 4, 4}, {8, 5, 4}}; }

TEST(Amalgamate, MergesAChildThatIsNotTheLast) {
  const Amalgamation result = amalgamate(two_children(), one_rule(any_width, 0));
  EXPECT_EQ(result.supernodes.begin, (List{0, 4, 12}));
  EXPECT_EQ(result.supernodes.parent, (List{1, -1}));
  EXPECT_EQ(result.supernodes.height, (List{5, 8}));
  EXPECT_EQ(result.renumbering.old_of, (List{4, 5, 6, 7, 0, 1, 2, 3, 8, 9, 10, 11}));
}

TEST(Amalgamate, TriesTheChildThatAddsTheFewestZerosFirst) {
  const Amalgamation result = amalgamate(two_children(), one_rule(8, 1));
  EXPECT_EQ(result.supernodes.height, (List{5, 8}));
}

TEST(Amalgamate, CountsTheZerosOfAllThatWasMerged) {
  // Both children: 78 entries. Each of the 4 columns of child 1 lacks 3 rows, and 4 more after
  // child 0 is merged.
  EXPECT_EQ(amalgamate(two_children(), one_rule(any_width, 28.0 / 78)).supernodes.count(), 1);
  EXPECT_EQ(amalgamate(two_children(), one_rule(any_width, 27.9 / 78)).supernodes.count(), 2);
}

TEST(Amalgamate, ObeysTheWidthOfTheRuleThatItUses) {
  EXPECT_EQ(amalgamate(two_children(), one_rule(7, 1)).supernodes.count(), 3);
  const AmalgamationOptions wide_only_without_zeros{{7, 12, 0, 0}, {1, 0, 0, 0}};
  EXPECT_EQ(amalgamate(two_children(), wide_only_without_zeros).supernodes.count(), 2);
}

TEST(Amalgamate, KeepsFundamentalSupernodesWhereNoWidthIsAllowed) {
  const Supernodes supernodes = two_children();
  const Amalgamation result = amalgamate(supernodes, one_rule(0, 1));
  EXPECT_EQ(result.supernodes.begin, supernodes.begin);
  EXPECT_EQ(result.supernodes.parent, supernodes.parent);
  EXPECT_EQ(result.supernodes.height, supernodes.height);
  EXPECT_EQ(result.renumbering.new_of, Permutation::identity(12).new_of);
}

TEST(Amalgamate, MakesEachTreeOneSupernodeWhereAllZerosAreAllowed) {
  const EliminationOrder order = elimination_order(
      uncompressed(graph_of(7, {{0, 1}, {1, 2}, {3, 6}, {4, 6}})), Permutation::identity(7));
  const Amalgamation result =
      amalgamate(fundamental_supernodes(order.parent, column_counts(order), order.weight),
                 one_rule(any_width, 1));
  EXPECT_EQ(result.supernodes.count(), 3);
  EXPECT_EQ(result.supernodes.parent, (List{-1, -1, -1}));
}

/// A dense core whose columns are supernodes with some leaves each. A leaf is one column with
/// `leaf_rows` rows of the core below it. The height decreases by 1 + `lost` rows per core column.
Supernodes core_with_leaves(Index core, Index leaves, Index leaf_rows, Index lost) {
  Supernodes result;
  for (Index k = 0; k < core; ++k) {
    const Index above = (k + 1) * (leaves + 1) - 1;
    const Index height = (core - k) * (1 + lost);
    for (Index leaf = 0; leaf < leaves; ++leaf) {
      result.parent.push_back(above);
      result.height.push_back(1 + std::min(leaf_rows, height));
    }
    result.parent.push_back(k + 1 < core ? above + leaves + 1 : -1);
    result.height.push_back(height - (k + 1 < core ? lost : 0));
  }
  result.width.assign(result.parent.size(), 1);
  result.begin.resize(result.parent.size() + 1);
  std::iota(result.begin.begin(), result.begin.end(), 0);
  return result;
}

Index widest(const Supernodes& supernodes) {
  return *std::max_element(supernodes.width.begin(), supernodes.width.end());
}

double stored_entries(const Supernodes& supernodes) {
  return factorization_cost(supernodes.height, supernodes.width).entries;
}

TEST(Amalgamate, KeepsADenseCoreWithLeavesWhole) {
  for (const Index lost : {0, 1, 2}) {
    SCOPED_TRACE(lost);
    const Supernodes before = core_with_leaves(300, 10, 3, lost);
    const Amalgamation result = amalgamate(before, {});
    EXPECT_GE(widest(result.supernodes), 270);
    EXPECT_LT(stored_entries(result.supernodes), 1.15 * stored_entries(before));
  }
}

TEST(Amalgamate, MergesWithTheWidestOfEqualChildrenFirst) {
  // Both children have all rows of the parent. The child that merges second adds zeros.
  const Supernodes supernodes{{0, 1, 5, 9}, {2, 2, -1}, {1, 4, 4}, {9, 12, 8}};
  const Amalgamation result = amalgamate(supernodes, one_rule(any_width, 0));
  EXPECT_EQ(result.supernodes.width, (List{1, 8}));
}

TEST(Amalgamate, LeavesAChildAloneThatHasFewRowsOfALongParent) {
  // A column with one row below it, under a column with 1000. One supernode would have 999 zeros.
  const auto supernodes = [](Index height) {
    return Supernodes{{0, 1, 2}, {1, -1}, {1, 1}, {2, height}};
  };
  EXPECT_EQ(amalgamate(supernodes(1000), one_rule(any_width, 1)).supernodes.count(), 2);
  EXPECT_EQ(amalgamate(supernodes(50), one_rule(any_width, 1)).supernodes.count(), 1);
}

TEST(Amalgamate, OfNothing) {
  const Amalgamation result = amalgamate(Supernodes{}, AmalgamationOptions{});
  EXPECT_EQ(result.supernodes.begin, List{0});
  EXPECT_EQ(result.supernodes.count(), 0);
}

/// Returns whether a rule allows a supernode of these columns of L.
bool allowed(const AmalgamationOptions& options, Index width, Index height, Count entries) {
  const Count trapezoid = Count{width} * height - Count{width} * (width - 1) / 2;
  const auto zeros = static_cast<double>(trapezoid - entries);
  for (std::size_t i = 0; i < options.widths.size(); ++i) {
    if (width <= options.widths[i] && zeros <= options.zeros[i] * static_cast<double>(trapezoid)) {
      return true;
    }
  }
  return false;
}

TEST(Amalgamate, CountsColumnsAndMovesVertices) {
  // As two_children(), but 4 columns are one vertex in child 0 and two in the others.
  const Supernodes supernodes{{0, 1, 3, 5}, {2, 2, -1}, {4, 4, 4}, {8, 5, 4}};
  const Amalgamation result = amalgamate(supernodes, one_rule(any_width, 0));
  EXPECT_EQ(result.supernodes.begin, (List{0, 2, 5}));
  EXPECT_EQ(result.supernodes.width, (List{4, 8}));
  EXPECT_EQ(result.supernodes.height, (List{5, 8}));
  EXPECT_EQ(result.renumbering.old_of, (List{1, 2, 0, 3, 4}));
}

TEST(Amalgamate, StaysEquivalentAndInsideTheRules) {
  for (const auto& [setting, options] : amalgamation_samples()) {
    for (const Sample& sample : sample_graphs()) {
      SCOPED_TRACE(sample.name + ", " + setting);
      const EliminationOrder order = elimination_order(sample.compressed, sample.ordering);
      const Supernodes fundamental =
          fundamental_supernodes(order.parent, column_counts(order), order.weight);
      const Amalgamation result = amalgamate(fundamental, options);
      ASSERT_NO_THROW(check(result.renumbering));
      const Supernodes& supernodes = result.supernodes;
      EXPECT_EQ(postorder(supernodes.parent).new_of,
                Permutation::identity(supernodes.count()).new_of);

      const List fundamental_of = supernode_of_column(fundamental.begin);
      const ColumnNumbering columns = columns_of(sample, order, result.renumbering);
      const auto structure = brute_force_structure(sample.graph, columns.permutation);
      EXPECT_EQ(entries_of(structure),
                entries_of(brute_force_structure(sample.graph, column_ordering(sample))));
      for (Index s = 0; s < supernodes.count(); ++s) {
        Count entries = 0;
        const Index first = columns.column_begin[supernodes.begin[s]];
        for (Index c = first; c < first + supernodes.width[s]; ++c) {
          entries += static_cast<Count>(structure[c].size());
        }
        const Index first_old = result.renumbering.old_of[supernodes.begin[s]];
        const bool merged = supernodes.width[s] != fundamental.width[fundamental_of[first_old]];
        if (merged) {
          EXPECT_TRUE(allowed(options, supernodes.width[s], supernodes.height[s], entries)) << s;
        }
      }
    }
  }
}

}  // namespace
}  // namespace espalier::internal
