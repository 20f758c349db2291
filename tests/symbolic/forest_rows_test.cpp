// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/forest_rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "symbolic/sample_graphs.hpp"
#include "symbolic/symbolic_factor.hpp"

namespace espalier {
namespace {

using testing::ContainerEq;

/// All entries below the diagonal, in the numbering of the outline.
std::vector<ColumnPair> pairs_of(const AdjacencyGraph& graph, const Permutation& permutation) {
  std::vector<ColumnPair> pairs;
  for (Index v = 0; v < graph.n; ++v) {
    for (const Index u : graph.of(v)) {
      if (permutation.new_of[u] >= permutation.new_of[v]) continue;
      pairs.push_back({permutation.new_of[u], permutation.new_of[v]});
    }
  }
  return pairs;
}

Supernodes supernodes_of(const SymbolicFactor& outline) {
  Supernodes supernodes;
  supernodes.begin = outline.supernode_begin;
  supernodes.parent = outline.supernode_parent;
  for (Index s = 0; s < outline.supernodes(); ++s) {
    supernodes.width.push_back(outline.supernode_begin[s + 1] - outline.supernode_begin[s]);
    supernodes.height.push_back(
        static_cast<Index>(outline.row_begin[s + 1] - outline.row_begin[s]));
  }
  return supernodes;
}

TEST(ForestRows, OfAWholeForestAreThoseOfTheSymbolicFactorization) {
  for (const Sample& sample : sample_graphs()) {
    for (const bool refine : {true, false}) {
      SCOPED_TRACE(sample.name + (refine ? "" : ", as ordered"));
      const CompressedGraph graph = uncompressed(sample.graph);
      const Permutation ordering = column_ordering(sample);
      const SymbolicOptions options{{}, 256, refine};
      const SymbolicFactor whole = symbolic_factorization(graph, ordering, options);
      const SymbolicFactor outline =
          symbolic_outline(graph, ordering, counted_order(graph, ordering), options);
      const ForestRows rows = forest_rows(supernodes_of(outline), outline.supernodes(),
                                          pairs_of(sample.graph, outline.permutation), refine, 2);
      EXPECT_THAT(rows.begin, ContainerEq(whole.row_begin));
      EXPECT_THAT(rows.row, ContainerEq(whole.row));
      EXPECT_THAT(compose(outline.permutation, rows.renumbering).new_of,
                  ContainerEq(whole.permutation.new_of));
    }
  }
}

/// 0 and 1 below {2, 3, 4}, whose order {2, 4} and {3} would change if it were to be put in order.
TEST(ForestRows, LeaveThoseBehindAsTheyAre) {
  const Supernodes supernodes{{0, 1, 2, 5}, {2, 2, -1}, {1, 1, 3}, {3, 2, 3}};
  const std::vector<ColumnPair> pairs{{0, 2}, {0, 4}, {1, 3}, {2, 3}, {3, 3}};
  const ForestRows rows = forest_rows(supernodes, 2, pairs, true);
  EXPECT_THAT(rows.begin, testing::ElementsAre(0, 3, 5));
  EXPECT_THAT(rows.row, testing::ElementsAre(0, 2, 4, 1, 3));
  EXPECT_EQ(rows.renumbering.size(), 2);
}

}  // namespace
}  // namespace espalier
