// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/predecessors.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <utility>
#include <vector>

#include "ordering/graphs.hpp"

namespace espalier::internal {
namespace {

using List = std::vector<Index>;

CompressedGraph with_predecessors(const AdjacencyGraph& graph, List predecessor) {
  CompressedGraph result = uncompressed(graph);
  result.matched.predecessor = std::move(predecessor);
  return result;
}

List order_after(const AdjacencyGraph& graph, const List& predecessor, const List& order) {
  return after_predecessors(with_predecessors(graph, predecessor), Permutation::from_old_of(order))
      .old_of;
}

TEST(AfterPredecessors, MovesAVertexDirectlyBehindItsPredecessor) {
  EXPECT_EQ(order_after(path_graph(5), {3, -1, -1, -1, -1}, {0, 1, 2, 3, 4}),
            (List{1, 2, 3, 0, 4}));
  EXPECT_EQ(order_after(path_graph(5), {3, -1, -1, -1, -1}, {3, 1, 2, 0, 4}),
            (List{3, 1, 2, 0, 4}));
}

TEST(AfterPredecessors, MovesChains) {
  EXPECT_EQ(order_after(path_graph(4), {1, 2, -1, -1}, {0, 1, 2, 3}), (List{2, 1, 0, 3}));
}

TEST(AfterPredecessors, KeepsVerticesThatWaitForEachOther) {
  EXPECT_EQ(order_after(path_graph(4), {1, 0, -1, -1}, {1, 0, 2, 3}), (List{2, 3, 1, 0}));
}

TEST(AfterPredecessors, IgnoresPredecessorsInTheSameMergedVertex) {
  CompressedGraph graph = compress(complete_graph(3));
  graph.matched.predecessor = {1, -1, -1};
  EXPECT_EQ(after_predecessors(graph, Permutation::identity(1)).old_of, List{0});
}

TEST(AfterPredecessors, HoldsInRandomGraphs) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 engine(seed);
    const Index n = 60;
    List predecessor(static_cast<std::size_t>(n), -1);
    for (Index v = 1; v < n; ++v) {
      if (engine() % 3 == 0) predecessor[v] = static_cast<Index>(engine() % v);
    }
    List order = Permutation::identity(n).old_of;
    std::shuffle(order.begin(), order.end(), engine);
    const List result = order_after(random_graph(n, 2 * n, seed), predecessor, order);
    const Permutation moved = Permutation::from_old_of(result);
    for (Index v = 0; v < n; ++v) {
      if (predecessor[v] < 0) continue;
      EXPECT_LT(moved.new_of[predecessor[v]], moved.new_of[v]) << v;
    }
    // Vertices that wait for nothing keep their order.
    List free_before, free_after;
    std::ranges::copy_if(order, std::back_inserter(free_before),
                         [&](Index v) { return predecessor[v] < 0; });
    std::ranges::copy_if(result, std::back_inserter(free_after),
                         [&](Index v) { return predecessor[v] < 0; });
    EXPECT_EQ(free_after, free_before);
  }
}

}  // namespace
}  // namespace espalier::internal
