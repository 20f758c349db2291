// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/adjacency.hpp"

#include <gtest/gtest.h>

#include "espalier/error.hpp"
#include "ordering/graphs.hpp"
#include "support/expect.hpp"
#include "support/matrices.hpp"

namespace espalier::internal {
namespace {

using support::expect_error;

TEST(Adjacency, HasBothDirectionsOfEveryEntryBelowTheDiagonal) {
  const LowerPattern pattern{4, {0, 3, 4, 6, 7}, {0, 1, 3, 1, 2, 3, 3}};

  const AdjacencyGraph graph = adjacency(pattern);

  EXPECT_EQ(graph.n, 4);
  EXPECT_EQ(graph.begin, (std::vector<Count>{0, 2, 3, 4, 6}));
  EXPECT_EQ(graph.neighbour, (std::vector<Index>{1, 3, 0, 3, 0, 2}));
  EXPECT_NO_THROW(check(graph));
}

TEST(Adjacency, OfSmallMatricesIsTheirPatternWithoutDiagonal) {
  for (const auto& [name, matrix] : support::small_matrices()) {
    SCOPED_TRACE(name);
    const AdjacencyGraph graph = adjacency(matrix.pattern);
    ASSERT_NO_THROW(check(graph));

    std::vector<std::vector<Index>> expected(matrix.pattern.n);
    for (Index j = 0; j < matrix.pattern.n; ++j) {
      for (const Index i : matrix.pattern.column(j)) {
        if (i == j) continue;
        expected[i].push_back(j);
        expected[j].push_back(i);
      }
    }
    for (Index v = 0; v < graph.n; ++v) {
      std::sort(expected[v].begin(), expected[v].end());
      EXPECT_EQ(std::vector<Index>(graph.of(v).begin(), graph.of(v).end()), expected[v]);
    }
  }
}

TEST(Adjacency, OfNoVerticesIsEmpty) {
  const AdjacencyGraph graph = adjacency(LowerPattern());

  EXPECT_EQ(graph.n, 0);
  EXPECT_EQ(graph.begin, std::vector<Count>{0});
  EXPECT_NO_THROW(check(graph));
}

/// Returns a plane grid with its vertices in random order. It has enough edges for several workers.
AdjacencyGraph large_random_grid() {
  const AdjacencyGraph grid = grid_graph(320);
  return permuted(grid, random_permutation(grid.n, 3));
}

TEST(Adjacency, IsTheSameForAnyNumberOfWorkers) {
  const AdjacencyGraph graph = large_random_grid();
  const LowerPattern pattern = lower_pattern(graph);
  ASSERT_GT(pattern.entries(), 200'000);
  for (const Index workers : {1, 2, 7}) {
    const AdjacencyGraph result = adjacency(pattern, workers);

    EXPECT_EQ(result.begin, graph.begin);
    EXPECT_EQ(result.neighbour, graph.neighbour);
  }
}

TEST(Permuted, IsTheSameForAnyNumberOfWorkers) {
  const AdjacencyGraph graph = large_random_grid();
  const Permutation permutation = random_permutation(graph.n, 8);
  const AdjacencyGraph alone = permuted(graph, permutation);
  for (const Index workers : {2, 7}) {
    const AdjacencyGraph result = permuted(graph, permutation, workers);

    EXPECT_EQ(result.begin, alone.begin);
    EXPECT_EQ(result.neighbour, alone.neighbour);
  }
}

TEST(Permuted, RenumbersEveryEdge) {
  for (const auto& [name, graph] : ordering_graphs()) {
    SCOPED_TRACE(name);
    const Permutation permutation = random_permutation(graph.n, 5);

    const AdjacencyGraph result = permuted(graph, permutation);

    ASSERT_NO_THROW(check(result));
    Edges edges;
    for (Index v = 0; v < graph.n; ++v) {
      for (const Index w : graph.of(v)) {
        edges.emplace_back(permutation.new_of[v], permutation.new_of[w]);
      }
    }
    const AdjacencyGraph expected = graph_of(graph.n, edges);
    EXPECT_EQ(result.begin, expected.begin);
    EXPECT_EQ(result.neighbour, expected.neighbour);
  }
}

TEST(CheckGraph, AcceptsSoundGraphs) {
  for (const auto& [name, graph] : ordering_graphs()) {
    EXPECT_NO_THROW(check(graph)) << name;
  }
}

TEST(CheckGraph, FindsOffsetsThatDoNotFit) {
  AdjacencyGraph short_of_one = path_graph(3);
  short_of_one.begin.pop_back();
  expect_error<InputError>([&] { check(short_of_one); }, {"3 vertices", "4 neighbours"});

  AdjacencyGraph descending = path_graph(3);
  descending.begin = {0, 3, 1, 4};
  expect_error<InputError>([&] { check(descending); }, {"vertex 1 end before they begin"});
}

TEST(CheckGraph, FindsLoopsAndUnsortedLists) {
  AdjacencyGraph loop = path_graph(3);
  loop.neighbour = {1, 1, 2, 1};
  expect_error<InputError>([&] { check(loop); }, {"vertex 1 is its own neighbour"});

  AdjacencyGraph unsorted = path_graph(3);
  unsorted.neighbour = {1, 2, 0, 1};
  expect_error<InputError>([&] { check(unsorted); }, {"neighbour 0 of vertex 1", "out of order"});

  AdjacencyGraph twice = path_graph(3);
  twice.neighbour = {1, 0, 0, 1};
  expect_error<InputError>([&] { check(twice); }, {"neighbour 0 of vertex 1", "out of order"});

  AdjacencyGraph outside = path_graph(3);
  outside.neighbour = {1, 0, 3, 1};
  expect_error<InputError>([&] { check(outside); }, {"neighbour 3 of vertex 1", "outside 0..2"});
}

TEST(CheckGraph, NamesTheEdgeWithoutItsReverse) {
  const AdjacencyGraph up{3, {0, 1, 1, 1}, {2}};
  expect_error<InputError>([&] { check(up); }, {"from vertex 0 to vertex 2 has no reverse"});

  const AdjacencyGraph down{3, {0, 0, 0, 1}, {0}};
  expect_error<InputError>([&] { check(down); }, {"from vertex 2 to vertex 0 has no reverse"});

  // Vertex 2 has the neighbours 0 and 1, but is not a neighbour of 0.
  const AdjacencyGraph one_of_two{3, {0, 0, 1, 3}, {2, 0, 1}};
  expect_error<InputError>([&] { check(one_of_two); },
                           {"from vertex 2 to vertex 0 has no reverse"});
}

}  // namespace
}  // namespace espalier::internal
