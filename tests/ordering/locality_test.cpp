// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/locality.hpp"

#include <gtest/gtest.h>

#include "ordering/graphs.hpp"

namespace espalier::internal {
namespace {

CompressedGraph shuffled(const AdjacencyGraph& graph) {
  return compress(permuted(graph, random_permutation(graph.n, 7)));
}

TEST(Locality, FindsNeighboursFarApart) {
  EXPECT_EQ(share_of_far_neighbours(grid_graph(60)), 0);
  EXPECT_EQ(share_of_far_neighbours(edgeless_graph(0)), 0);
  EXPECT_EQ(share_of_far_neighbours(edgeless_graph(5000)), 0);
  EXPECT_GT(share_of_far_neighbours(shuffled(grid_graph(60)).graph), 0.6);
}

TEST(Locality, FindsTwoNumberedParts) {
  // A row of squares, whose two sides are numbered one after the other.
  constexpr Index n = 3000;
  std::vector<std::pair<Index, Index>> edges;
  for (Index v = 0; v < n; ++v) edges.emplace_back(v, n + v);
  for (Index v = 0; v + 1 < n; ++v) edges.emplace_back(v, n + v + 1);
  EXPECT_EQ(share_of_far_neighbours(graph_of(2 * n, edges)), 0);
}

TEST(Locality, BreadthFirstMeetsNeighboursFirstThenOtherComponents) {
  const AdjacencyGraph two_paths = graph_of(5, {{0, 1}, {2, 3}, {3, 4}});

  EXPECT_EQ(breadth_first_order(two_paths, 4), (std::vector<Index>{4, 3, 2, 0, 1}));
  EXPECT_EQ(breadth_first_order(two_paths), (std::vector<Index>{0, 1, 2, 3, 4}));
  EXPECT_TRUE(breadth_first_order(edgeless_graph(0)).empty());
}

TEST(Locality, BreadthFirstIsTheSameGraphInAnotherNumbering) {
  for (const auto& [name, graph] : ordering_graphs()) {
    SCOPED_TRACE(name);
    const CompressedGraph before = shuffled(graph);
    const CompressedGraph after = numbered_breadth_first(before);

    EXPECT_EQ(after.graph.n, before.graph.n);
    EXPECT_NO_THROW(check(after.graph));
    EXPECT_NO_THROW(check(Permutation::from_old_of(after.member)));
    for (Index c = 0; c < after.graph.n; ++c) {
      EXPECT_EQ(after.weight[c], std::ssize(after.members(c)));
    }
    // Both represent the same graph: they are equal if expanded in the original numbering.
    const auto original = [](const CompressedGraph& compressed) {
      const Permutation members = Permutation::from_old_of(compressed.member);
      return permuted(expanded(compressed), Permutation::from_old_of(members.new_of));
    };
    EXPECT_EQ(original(after).neighbour, original(before).neighbour);
  }
}

TEST(Locality, BreadthFirstBringsNeighboursTogether) {
  const CompressedGraph graph = numbered_breadth_first(shuffled(grid_graph(60)));

  EXPECT_EQ(share_of_far_neighbours(graph.graph), 0);
}

TEST(Locality, RenumbersLargeRandomGraphsOnly) {
  const auto is_renumbered = [](const CompressedGraph& graph) {
    return with_local_numbering(graph).member != graph.member;
  };
  EXPECT_TRUE(is_renumbered(shuffled(grid_graph(110))));
  EXPECT_FALSE(is_renumbered(shuffled(grid_graph(60))));
  EXPECT_FALSE(is_renumbered(compress(grid_graph(110))));
}

}  // namespace
}  // namespace espalier::internal
