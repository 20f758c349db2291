// SPDX-License-Identifier: BSD-3-Clause

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "matrix/load.hpp"
#include "ordering/concurrency.hpp"
#include "ordering/graphs.hpp"
#include "ordering/methods.hpp"
#include "symbolic/column_counts.hpp"

namespace espalier::internal {
namespace {

double flops_of(const CompressedGraph& compressed, const Permutation& order) {
  return factorization_cost(counted_order(compressed, order)).flops;
}

AdjacencyGraph problem_graph(const std::string& spec) {
  return adjacency(load_matrix(spec, Values::pattern_only).matrix.pattern);
}

TEST(Dissection, OrdersEveryGraph) {
  for (const auto& [name, graph] : ordering_graphs()) {
    SCOPED_TRACE(name);
    const CompressedGraph compressed = compress(graph);
    const Permutation order = dissection_ordering(compressed, 1).permutation;

    EXPECT_EQ(order.size(), compressed.graph.n);
    EXPECT_NO_THROW(check(order));
  }
}

TEST(Dissection, OrdersLargeGraphsWithoutGoodSeparators) {
  for (const AdjacencyGraph& graph :
       {edgeless_graph(20000), star_graph(20000, 5), complete_graph(700),
        side_by_side(grid_graph(40), edgeless_graph(5000), 3000), random_graph(1500, 40000, 3),
        with_dense_row(grid_graph(60)), path_graph(20000)}) {
    const CompressedGraph compressed = compress(graph);

    EXPECT_NO_THROW(check(dissection_ordering(compressed, 2).permutation));
  }
}

TEST(Dissection, GivesTheSameOrderForAnyNumberOfThreads) {
  for (const AdjacencyGraph& graph : {space_grid_graph(24), grid_graph(120)}) {
    const CompressedGraph compressed = compress(graph);
    const auto first = dissection_ordering(compressed, 1).permutation.old_of;

    for (const Index threads : {1, 2, 3, 8}) {
      EXPECT_EQ(dissection_ordering(compressed, threads).permutation.old_of, first) << threads;
    }
  }
}

TEST(Dissection, GivesTheSameOrderInConcurrentCalls) {
  const CompressedGraph compressed = compress(space_grid_graph(20));
  const Permutation alone = dissection_ordering(compressed, 1).permutation;

  for (const auto& order :
       concurrent_orders(3, 3, [&] { return dissection_ordering(compressed, 2).permutation; })) {
    EXPECT_EQ(order, alone.old_of);
  }
}

TEST(Dissection, NeedsAboutAsManyFlopsAsMetis) {
  double logarithms = 0;
  int problems = 0;
  for (const AdjacencyGraph& graph :
       {space_grid_graph(20), grid_graph(100), multiplied(space_grid_graph(10), 3),
        problem_graph("stencil27:16"), problem_graph("elasticity3d:12x12x12"),
        problem_graph("irregular2d:8000")}) {
    const CompressedGraph compressed = compress(graph);
    const Permutation metis = metis_ordering(compressed);
    const double ratio = flops_of(compressed, dissection_ordering(compressed, 2).permutation) /
                         flops_of(compressed, metis);

    EXPECT_LT(ratio, 1.5);
    logarithms += std::log(ratio);
    ++problems;
  }
  EXPECT_LT(std::exp(logarithms / problems), 1.1);
}

TEST(Dissection, EliminatesADenseRowLate) {
  const AdjacencyGraph graph = with_dense_row(grid_graph(60));
  const CompressedGraph compressed = compress(graph);
  const Permutation order = dissection_ordering(compressed, 1).permutation;

  EXPECT_GT(order.new_of[3600], 3400);
}

TEST(Dissection, HappensOnlyIfWorthwhile) {
  const CompressedGraph compressed = compress(space_grid_graph(12));
  const auto always = dissection_ordering(compressed, 1).permutation;
  for (const Index threads : {1, 2, 3}) {
    int asked = 0;
    const auto answer = [&](bool yes) {
      return dissection_ordering_if(compressed, threads, [&asked, yes] {
        ++asked;
        return yes;
      });
    };
    EXPECT_FALSE(answer(false).has_value());
    EXPECT_EQ(answer(true)->permutation.old_of, always.old_of);
    EXPECT_EQ(asked, 2);
  }
}

TEST(Dissection, PassesOnWhatIsThrownMeanwhile) {
  const CompressedGraph compressed = compress(space_grid_graph(12));
  const auto failing = []() -> bool { throw std::runtime_error("meanwhile"); };
  for (const Index threads : {1, 2, 3}) {
    EXPECT_THROW(dissection_ordering_if(compressed, threads, failing), std::runtime_error);
  }
}

TEST(Dissection, AcceptsWhatItCanCount) {
  constexpr Count most = std::numeric_limits<Index>::max();

  EXPECT_TRUE(dissection_accepts(most));
  EXPECT_FALSE(dissection_accepts(most + 1));
}

}  // namespace
}  // namespace espalier::internal
