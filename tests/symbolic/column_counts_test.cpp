// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/column_counts.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "ordering/ordering.hpp"
#include "symbolic/brute_force.hpp"
#include "symbolic/sample_graphs.hpp"

namespace espalier::internal {
namespace {

using List = std::vector<Index>;

/// Returns the counts in the numbering of the graph, which need not be a postorder.
List natural_column_counts(const AdjacencyGraph& graph) {
  const EliminationOrder order =
      elimination_order(uncompressed(graph), Permutation::identity(graph.n));
  const List counts = column_counts(order);
  List result;
  for (const Index v : order.postorder.new_of) result.push_back(counts[v]);
  return result;
}

TEST(ColumnCounts, OfTheLiterature) {
  EXPECT_EQ(natural_column_counts(liu_graph()), (List{3, 3, 3, 3, 3, 3, 2, 3, 2, 1}));
  EXPECT_EQ(natural_column_counts(davis_graph()), (List{3, 3, 4, 3, 3, 4, 4, 3, 3, 2, 1}));
  EXPECT_EQ(natural_column_counts(chordal_graph()),
            (List{5, 3, 4, 3, 4, 3, 4, 3, 3, 5, 4, 5, 4, 3, 3, 2, 1}));
}

TEST(ColumnCounts, OfExtremeShapes) {
  EXPECT_EQ(natural_column_counts(edgeless_graph(0)), List{});
  EXPECT_EQ(natural_column_counts(edgeless_graph(1)), List{1});
  EXPECT_EQ(natural_column_counts(edgeless_graph(3)), (List{1, 1, 1}));
  EXPECT_EQ(natural_column_counts(path_graph(4)), (List{2, 2, 2, 1}));
  EXPECT_EQ(natural_column_counts(complete_graph(4)), (List{4, 3, 2, 1}));
  EXPECT_EQ(natural_column_counts(star_graph(4, 3)), (List{2, 2, 2, 1}));
  EXPECT_EQ(natural_column_counts(star_graph(4, 0)), (List{4, 3, 2, 1}));
}

TEST(ColumnCounts, AreThoseOfAnElimination) {
  for (const Sample& sample : sample_graphs()) {
    SCOPED_TRACE(sample.name);
    const EliminationOrder order = elimination_order(sample.compressed, sample.ordering);
    const ColumnNumbering columns = columns_of(sample, order);
    const auto structure = brute_force_structure(sample.graph, columns.permutation);
    List expected;
    for (Index v = 0; v < order.size(); ++v) {
      expected.push_back(static_cast<Index>(structure[columns.column_begin[v]].size()));
    }
    EXPECT_EQ(column_counts(order), expected);
  }
}

TEST(FactorizationCost, SumsCountsAndTheirSquares) {
  const OrderingCost cost = factorization_cost(List{100'000, 3, 1}, List{1, 1, 1});
  EXPECT_EQ(cost.entries, 100'004);
  EXPECT_EQ(cost.flops, 10'000'000'010.0);
}

TEST(FactorizationCost, SumsTheColumnsOfMergedVertices) {
  const OrderingCost cost = factorization_cost(List{7, 4}, List{3, 2});
  EXPECT_EQ(cost.entries, 7 + 6 + 5 + 4 + 3);
  EXPECT_EQ(cost.flops, 49 + 36 + 25 + 16 + 9);
}

TEST(PredictCost, IsThatOfAnElimination) {
  for (const Sample& sample : sample_graphs()) {
    SCOPED_TRACE(sample.name);
    OrderingCost expected;
    for (const auto& column : brute_force_structure(sample.graph, column_ordering(sample))) {
      const auto count = static_cast<double>(column.size());
      expected.entries += count;
      expected.flops += count * count;
    }
    const OrderingCost cost = factorization_cost(counted_order(sample.compressed, sample.ordering));
    EXPECT_EQ(cost.entries, expected.entries);
    EXPECT_EQ(cost.flops, expected.flops);
  }
}

}  // namespace
}  // namespace espalier::internal
