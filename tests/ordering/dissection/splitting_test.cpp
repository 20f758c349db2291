// SPDX-License-Identifier: BSD-3-Clause

#include "ordering/dissection/splitting.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "ordering/dissection/weighted_graphs.hpp"
#include "ordering/graphs.hpp"

namespace espalier::internal {
namespace {

/// Returns a grid of width * width vertices with weights, as a part whose vertices have the numbers
/// 1000 and so on in the whole graph.
DissectionPart grid_part(Index width) {
  DissectionPart part;
  part.graph = weighted(grid_graph(width));
  set_weight(part.graph, 0, width, 3);
  part.vertex.resize(part.graph.n());
  std::iota(part.vertex.begin(), part.vertex.end(), 1000);
  part.first = 7;
  return part;
}

/// Returns the separation of a grid by one of its rows.
Separation by_row(const WeightedGraph& graph, Index width, Index row) {
  Separation separation{std::vector<std::uint8_t>(graph.n()), {}};
  for (Index v = 0; v < graph.n(); ++v) {
    const std::uint8_t part = v / width == row ? Separation::separator : v / width < row ? 1 : 0;
    separation.part[v] = part;
    separation.weight[part] += graph.weight[v];
  }
  return separation;
}

/// Expects the subgraph of the vertices first..first+n-1.
void expect_rows(const DissectionPart& side, const DissectionPart& whole, Index first, Index n) {
  ASSERT_EQ(side.graph.n(), n);
  Index weight = 0;
  for (Index v = 0; v < n; ++v) {
    EXPECT_EQ(side.vertex[v], whole.vertex[first + v]);
    EXPECT_EQ(side.graph.weight[v], whole.graph.weight[first + v]);
    weight += side.graph.weight[v];
    std::vector<Index> expected;
    for (const Index u : whole.graph.of(first + v)) {
      if (u >= first && u < first + n) expected.push_back(u - first);
    }
    const auto neighbours = side.graph.of(v);
    EXPECT_EQ(std::vector<Index>(neighbours.begin(), neighbours.end()), expected);
  }
  EXPECT_EQ(side.graph.total_weight, weight);
}

TEST(SplitPart, KeepsTheEdgesWithinEachSide) {
  for (const Index width : {5, 120}) {
    const DissectionPart part = grid_part(width);
    const Index row = width / 3;
    for (const ParallelLoop& loop : {ParallelLoop(serial_loop), ParallelLoop(disorderly_loop)}) {
      const SplitPart split = split_part(part, by_row(part.graph, width, row), loop);

      const Index above = row * width;
      const Index below = part.graph.n() - above - width;
      expect_rows(split.sides[1], part, 0, above);
      expect_rows(split.sides[0], part, above + width, below);
      EXPECT_EQ(split.sides[0].first, 7);
      EXPECT_EQ(split.sides[1].first, 7 + below);
      EXPECT_EQ(split.separator_first, 7 + below + above);
      ASSERT_EQ(static_cast<Index>(split.separator.size()), width);
      EXPECT_EQ(split.separator.front(), 1000 + above);
      EXPECT_NE(split.sides[0].seed, split.sides[1].seed);
    }
  }
}

TEST(VertexBlocks, CoverAllVerticesOnce) {
  for (const Index n : {0, 1, 1024, 1025, 100000, 1000000}) {
    const VertexBlocks blocks(n);
    Index next = 0;
    for (Index block = 0; block < blocks.count(); ++block) {
      EXPECT_EQ(blocks.first(block), next);
      next = blocks.last(block);
      if (next > blocks.first(block)) {
        EXPECT_EQ(blocks.of(next - 1), block);
      }
    }
    EXPECT_EQ(next, n);
    EXPECT_LE(blocks.count(), 128);
  }
}

}  // namespace
}  // namespace espalier::internal
