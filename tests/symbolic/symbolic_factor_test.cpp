// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/symbolic_factor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "espalier/error.hpp"
#include "ordering/ordering.hpp"
#include "symbolic/brute_force.hpp"
#include "symbolic/column_counts.hpp"
#include "symbolic/sample_graphs.hpp"

namespace espalier::internal {
namespace {

using List = std::vector<Index>;

constexpr AmalgamationOptions no_amalgamation{{0, 0, 0, 0}, {0, 0, 0, 0}};

TEST(SymbolicFactorization, OfACompleteGraphIsOneSupernodeInPanels) {
  const SymbolicFactor factor = symbolic_factorization(uncompressed(complete_graph(40)),
                                                       random_permutation(40, 1), {{}, 16, true});
  ASSERT_NO_THROW(check(factor));
  EXPECT_EQ(factor.supernodes(), 1);
  EXPECT_EQ(factor.panel_begin, (List{0, 8, 24, 40}));
  EXPECT_EQ(factor.block.size(), 6u);
  EXPECT_EQ(factor.nnz_l, 40 * 41 / 2);
  EXPECT_EQ(factor.flops, 40 * 41 * 81 / 6);
  EXPECT_EQ(factor.factor_bytes(), 8 * (8 * 40 + 16 * 32 + 16 * 16));
  EXPECT_EQ(factor.parent(0), 1);
  EXPECT_EQ(factor.parent(2), -1);
}

TEST(SymbolicFactorization, HasNarrowerPanelsForMoreWorkers) {
  const auto panels = [](Index workers, Index narrow) {
    SymbolicOptions options;
    options.narrow_panel_width = narrow;
    options.factor_workers = workers;
    return symbolic_factorization(uncompressed(complete_graph(400)), Permutation::identity(400),
                                  options)
        .panels();
  };
  // D and F of a panel of w columns have 400 w^2 of about 400^3 / 3 operations.
  EXPECT_EQ(panels(1, 8), 10);   // 1/32 of all: w = 40
  EXPECT_EQ(panels(6, 8), 10);   // 1/32 is less than a fifth of the share of each worker
  EXPECT_EQ(panels(20, 8), 25);  // 1/100 of all: w = 16, a multiple of 8
  EXPECT_EQ(panels(20, 32), 13);
}

TEST(SymbolicFactorization, OfADiagonalMatrixHasNoBlockBelow) {
  const SymbolicFactor factor =
      symbolic_factorization(uncompressed(edgeless_graph(5)), Permutation::identity(5), {});
  ASSERT_NO_THROW(check(factor));
  EXPECT_EQ(factor.supernodes(), 5);
  EXPECT_EQ(factor.nnz_l, 5);
  EXPECT_TRUE(factor.facing_block.empty());
}

TEST(SymbolicFactorization, OfNothing) {
  const SymbolicFactor factor =
      symbolic_factorization(uncompressed(edgeless_graph(0)), Permutation::identity(0), {});
  ASSERT_NO_THROW(check(factor));
  EXPECT_EQ(factor.panels(), 0);
  EXPECT_EQ(factor.factor_bytes(), 0);
}

TEST(SymbolicFactorization, HasNoExplicitZerosWithoutAmalgamation) {
  for (const Sample& sample : sample_graphs()) {
    SCOPED_TRACE(sample.name);
    const SymbolicFactor factor =
        symbolic_factorization(sample.compressed, sample.ordering, {no_amalgamation, 256, true});
    const OrderingCost cost = factorization_cost(counted_order(sample.compressed, sample.ordering));
    EXPECT_EQ(static_cast<double>(factor.nnz_l), cost.entries);
    EXPECT_EQ(factor.flops, cost.flops);
  }
}

/// Expects a row in the panel of its column for every entry of L under the permutation of the
/// factor.
void expect_to_hold_the_elimination(const SymbolicFactor& factor, const AdjacencyGraph& graph) {
  const auto structure = brute_force_structure(graph, factor.permutation);
  for (Index p = 0; p < factor.panels(); ++p) {
    const auto rows = factor.rows(p);
    for (Index c = factor.panel_begin[p]; c < factor.panel_begin[p + 1]; ++c) {
      EXPECT_TRUE(std::includes(rows.begin(), rows.end(), structure[c].begin(), structure[c].end()))
          << "column " << c << " in panel " << p;
    }
  }
}

TEST(SymbolicFactorization, HoldsTheEliminationUnderEverySetting) {
  for (const auto& [setting, amalgamation] : amalgamation_samples()) {
    for (const bool refine : {false, true}) {
      for (const Index panel_width : {1, 5, 256}) {
        for (const Sample& sample : sample_graphs()) {
          SCOPED_TRACE(testing::Message() << sample.name << ", " << setting << ", panels of "
                                          << panel_width << (refine ? ", refined" : ""));
          const SymbolicFactor factor = symbolic_factorization(sample.compressed, sample.ordering,
                                                               {amalgamation, panel_width, refine});
          ASSERT_NO_THROW(check(factor));
          expect_to_hold_the_elimination(factor, sample.graph);
          for (Index p = 0; p < factor.panels(); ++p) EXPECT_LE(factor.width(p), panel_width);
        }
      }
    }
  }
}

TEST(SymbolicFactorization, RefinementKeepsSupernodesAndTotals) {
  const AdjacencyGraph graph = grid_graph(30);
  const Permutation ordering = minimum_degree(graph);
  const SymbolicFactor plain =
      symbolic_factorization(uncompressed(graph), ordering, {{}, 256, false});
  const SymbolicFactor refined =
      symbolic_factorization(uncompressed(graph), ordering, {{}, 256, true});
  EXPECT_EQ(refined.supernode_begin, plain.supernode_begin);
  EXPECT_EQ(refined.supernode_parent, plain.supernode_parent);
  EXPECT_EQ(refined.row_begin, plain.row_begin);
  EXPECT_EQ(refined.nnz_l, plain.nnz_l);
  EXPECT_EQ(refined.flops, plain.flops);
  EXPECT_NE(refined.permutation.new_of, plain.permutation.new_of);
}

void expect_equal(const SymbolicFactor& first, const SymbolicFactor& second) {
  EXPECT_EQ(first.permutation.new_of, second.permutation.new_of);
  EXPECT_EQ(first.supernode_begin, second.supernode_begin);
  EXPECT_EQ(first.supernode_parent, second.supernode_parent);
  EXPECT_EQ(first.row_begin, second.row_begin);
  EXPECT_EQ(first.row, second.row);
  EXPECT_EQ(first.panel_begin, second.panel_begin);
  EXPECT_EQ(first.block_begin, second.block_begin);
  EXPECT_TRUE(std::equal(first.block.begin(), first.block.end(), second.block.begin(),
                         second.block.end(), [](const Block& a, const Block& b) {
                           return a.row_offset == b.row_offset && a.facing == b.facing;
                         }));
  EXPECT_EQ(first.facing_block, second.facing_block);
  EXPECT_EQ(first.facing_source, second.facing_source);
  EXPECT_EQ(first.value_begin, second.value_begin);
}

TEST(SymbolicFactorization, DoesNotDependOnTheNumberOfThreads) {
  const CompressedGraph graph = compress(with_twins(grid_graph(150), 2));
  for (const Permutation& ordering : {grid_dissection(150), Permutation::identity(150 * 150)}) {
    const SymbolicFactor expected = symbolic_factorization(graph, ordering, {});
    ASSERT_NO_THROW(check(expected));
    for (const Index workers : {1, 2, 3}) {
      SCOPED_TRACE(workers);
      expect_equal(symbolic_factorization(graph, ordering, {{}, 256, true, workers}), expected);
    }
  }
}

TEST(SymbolicFactorization, OfMergedVerticesIsThatOfTheirColumns) {
  for (const Sample& sample : sample_graphs()) {
    SCOPED_TRACE(sample.name);
    const SymbolicFactor merged = symbolic_factorization(sample.compressed, sample.ordering, {});
    const SymbolicFactor columns =
        symbolic_factorization(uncompressed(sample.graph), column_ordering(sample), {});
    EXPECT_EQ(merged.supernode_begin, columns.supernode_begin);
    EXPECT_EQ(merged.supernode_parent, columns.supernode_parent);
    EXPECT_EQ(merged.row_begin, columns.row_begin);
    EXPECT_EQ(merged.nnz_l, columns.nnz_l);
    EXPECT_EQ(merged.flops, columns.flops);
  }
}

TEST(SymbolicFactorization, RefusesWhatCannotBe) {
  const AdjacencyGraph graph = path_graph(4);
  EXPECT_THROW(symbolic_factorization(uncompressed(graph), Permutation::identity(5), {}),
               UsageError);
  EXPECT_THROW(symbolic_factorization(uncompressed(graph), Permutation::identity(4), {{}, 0, true}),
               UsageError);
}

}  // namespace
}  // namespace espalier::internal
