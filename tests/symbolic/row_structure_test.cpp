// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/row_structure.hpp"

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

#include "symbolic/amalgamation_samples.hpp"
#include "symbolic/brute_force.hpp"
#include "symbolic/column_counts.hpp"
#include "symbolic/sample_graphs.hpp"

namespace espalier {
namespace {

using List = std::vector<Index>;

TEST(RowStructure, OfLiu1990) {
  const EliminationOrder order =
      elimination_order(uncompressed(liu_graph()), Permutation::identity(10));
  const AmalgamationOptions none{{0, 0, 0, 0}, {0, 0, 0, 0}};
  const Amalgamation amalgamation =
      amalgamate(fundamental_supernodes(order.parent, column_counts(order), order.weight), none);
  RowStructure rows = row_structure(order, amalgamation);
  // Postorder d b e a c f g h i j, by the letters of the paper; i and j share their structure.
  EXPECT_EQ(order.postorder.old_of, (List{3, 1, 4, 0, 2, 5, 6, 7, 8, 9}));
  EXPECT_EQ(rows.begin, (std::vector<Count>{0, 3, 6, 9, 12, 15, 18, 20, 23, 25}));
  EXPECT_EQ(rows.below, (List{2, 2, 2, 2, 2, 2, 1, 2, 0}));
  EXPECT_EQ(rows.facing_begin, (std::vector<Count>{0, 0, 0, 1, 1, 2, 2, 4, 8, 12}));
  expand_rows(amalgamation.supernodes, Permutation::identity(11).old_of, rows);
  EXPECT_EQ(rows.row,
            (List{0, 8, 9, 1, 2, 9, 2, 8, 9, 3, 4, 7, 4, 6, 7, 5, 6, 7, 6, 7, 7, 8, 9, 8, 9}));
}

/// The rows of supernode s that its facing ranges hold, with the supernode that each range faces.
std::set<std::pair<Index, Index>> faced(const RowStructure& rows, Index s, Index supernodes) {
  std::set<std::pair<Index, Index>> result;
  for (Index facing = 0; facing < supernodes; ++facing) {
    for (const FacingRange& range : rows.facing_ranges(facing)) {
      if (range.source != s) continue;
      EXPECT_TRUE(rows.begin[s] < range.begin && range.begin < rows.begin[s + 1]);
      for (const Index row : rows.rows(range)) EXPECT_TRUE(result.emplace(row, facing).second);
    }
  }
  return result;
}

TEST(RowStructure, IsTheUnionOfTheColumnsOfAnElimination) {
  for (const auto& [setting, options] : amalgamation_samples()) {
    for (const Sample& sample : sample_graphs()) {
      SCOPED_TRACE(sample.name + ", " + setting);
      const EliminationOrder order = elimination_order(sample.compressed, sample.ordering);
      const Amalgamation amalgamation = amalgamate(
          fundamental_supernodes(order.parent, column_counts(order), order.weight), options);
      const Supernodes& supernodes = amalgamation.supernodes;
      RowStructure rows = row_structure(order, amalgamation);
      const List supernode = supernode_of_column(supernodes.begin);
      ASSERT_EQ(static_cast<Index>(rows.begin.size()), supernodes.count() + 1);
      ASSERT_EQ(static_cast<Index>(rows.facing_begin.size()), supernodes.count() + 1);
      for (Index s = 0; s < supernodes.count(); ++s) {
        std::set<std::pair<Index, Index>> expected;
        const Count below = rows.begin[s] + supernodes.width[s];
        for (Count k = below; k < below + rows.below[s]; ++k) {
          expected.emplace(rows.row[k], supernode[rows.row[k]]);
        }
        EXPECT_EQ(faced(rows, s, supernodes.count()), expected);
      }

      const ColumnNumbering columns = columns_of(sample, order, amalgamation.renumbering);
      const auto structure = brute_force_structure(sample.graph, columns.permutation);
      expand_rows(supernodes, columns.column_begin, rows);
      for (Index s = 0; s < supernodes.count(); ++s) {
        const Index first = columns.column_begin[supernodes.begin[s]];
        std::set<Index> expected;
        for (Index c = first; c < first + supernodes.width[s]; ++c) {
          expected.insert(c);
          expected.insert(structure[c].begin(), structure[c].end());
        }
        EXPECT_EQ(List(rows.row.begin() + rows.begin[s], rows.row.begin() + rows.begin[s + 1]),
                  List(expected.begin(), expected.end()))
            << "supernode " << s;
      }
    }
  }
}

TEST(RowStructure, DoesNotDependOnTheNumberOfThreads) {
  const CompressedGraph graph = compress(with_twins(grid_graph(150), 2));
  const EliminationOrder order = elimination_order(graph, grid_dissection(150));
  const Amalgamation amalgamation =
      amalgamate(fundamental_supernodes(order.parent, column_counts(order), order.weight), {});
  const RowStructure expected = row_structure(order, amalgamation);
  EXPECT_GT(expected.row.size(), 100'000u);  // enough for several threads
  for (const Index workers : {2, 3}) {
    const RowStructure rows = row_structure(order, amalgamation, workers);
    EXPECT_EQ(rows.begin, expected.begin);
    EXPECT_EQ(rows.row, expected.row);
    EXPECT_EQ(rows.below, expected.below);
    EXPECT_EQ(rows.facing_begin, expected.facing_begin);
    for (Index s = 0; s < amalgamation.supernodes.count(); ++s) {
      std::set<std::pair<Count, Index>> faced;
      std::set<std::pair<Count, Index>> expected_to_face;
      for (const FacingRange& range : rows.facing_ranges(s)) faced.emplace(range.begin, range.size);
      for (const FacingRange& range : expected.facing_ranges(s)) {
        expected_to_face.emplace(range.begin, range.size);
      }
      EXPECT_EQ(faced, expected_to_face);
    }
  }
}

}  // namespace
}  // namespace espalier
