// SPDX-License-Identifier: BSD-3-Clause

#include "ordering/dissection/halo_minimum_degree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "ordering/graphs.hpp"

namespace espalier::internal {
namespace {

std::vector<Index> all_vertices(const AdjacencyGraph& graph) {
  std::vector<Index> vertices(graph.n);
  std::iota(vertices.begin(), vertices.end(), 0);
  return vertices;
}

TEST(HaloMinimumDegree, PermutesThePart) {
  for (const auto& [name, graph] : ordering_graphs()) {
    SCOPED_TRACE(name);
    HaloMinimumDegree method(graph);
    for (const Index size : {graph.n, graph.n / 2, graph.n / 3}) {
      std::vector<Index> part = all_vertices(graph);
      part.resize(size);
      const std::vector<Index> before = part;
      method.order(part);

      EXPECT_TRUE(std::is_permutation(part.begin(), part.end(), before.begin()));
    }
  }
}

TEST(HaloMinimumDegree, IsMinimumDegreeWithoutAHalo) {
  const AdjacencyGraph tree = star_graph(50, 20);
  std::vector<Index> order = all_vertices(tree);
  HaloMinimumDegree(tree).order(order);

  EXPECT_EQ(counted_cost(tree, Permutation::from_old_of(order)).entries, 2 * tree.n - 1);
}

TEST(HaloMinimumDegree, CountsTheHaloInDegrees) {
  // A path 0-1-2-3. Its end 0 has ten neighbours outside; without these neighbours, vertex 0 would
  // be first.
  Edges edges{{0, 1}, {1, 2}, {2, 3}};
  for (Index outside = 4; outside < 14; ++outside) edges.emplace_back(0, outside);
  const AdjacencyGraph graph = graph_of(14, edges);
  std::vector<Index> part{0, 1, 2, 3};
  HaloMinimumDegree(graph).order(part);

  EXPECT_EQ(part.back(), 0);
}

}  // namespace
}  // namespace espalier::internal
