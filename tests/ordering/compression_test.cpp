// SPDX-License-Identifier: BSD-3-Clause

#include "ordering/compression.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "ordering/graphs.hpp"
#include "ordering/locality.hpp"

namespace espalier::internal {
namespace {

std::vector<NamedGraph> compression_graphs() {
  auto graphs = ordering_graphs();
  for (unsigned seed = 0; seed < 30; ++seed) {
    const Index n = 5 + static_cast<Index>(seed);
    graphs.push_back({"dense random " + std::to_string(seed),
                      random_graph(n, n * (n - 1) / (1 + static_cast<Index>(seed) % 4), seed)});
    graphs.push_back(
        {"doubled random " + std::to_string(seed), multiplied(random_graph(n, 2 * n, seed), 2)});
  }
  return graphs;
}

/// Groups vertices with equal closed neighbourhoods, in the order of their smallest members.
std::vector<std::vector<Index>> brute_force_groups(const AdjacencyGraph& graph) {
  std::map<std::set<Index>, std::vector<Index>> by_neighbourhood;
  for (Index v = 0; v < graph.n; ++v) {
    std::set<Index> closed(graph.of(v).begin(), graph.of(v).end());
    closed.insert(v);
    by_neighbourhood[closed].push_back(v);
  }
  std::vector<std::vector<Index>> groups;
  for (const auto& [closed, members] : by_neighbourhood) groups.push_back(members);
  std::sort(groups.begin(), groups.end());
  return groups;
}

TEST(Compression, MergesExactlyTheIndistinguishableVertices) {
  for (const auto& [name, graph] : compression_graphs()) {
    SCOPED_TRACE(name);
    const CompressedGraph compressed = compress(graph);

    std::vector<std::vector<Index>> groups;
    for (Index c = 0; c < compressed.graph.n; ++c) {
      const auto members = compressed.members(c);
      groups.emplace_back(members.begin(), members.end());
      EXPECT_EQ(compressed.weight[c], std::ssize(members));
    }
    EXPECT_EQ(groups, brute_force_groups(graph));
  }
}

TEST(Compression, JoinsMergedVerticesWhoseMembersAreNeighbours) {
  for (const auto& [name, graph] : compression_graphs()) {
    SCOPED_TRACE(name);
    const CompressedGraph compressed = compress(graph);
    ASSERT_NO_THROW(check(compressed.graph));

    std::vector<Index> merged_of(graph.n);
    for (Index c = 0; c < compressed.graph.n; ++c) {
      for (const Index v : compressed.members(c)) merged_of[v] = c;
    }
    Edges edges;
    for (Index v = 0; v < graph.n; ++v) {
      for (const Index w : graph.of(v)) {
        if (merged_of[v] != merged_of[w]) edges.emplace_back(merged_of[v], merged_of[w]);
      }
    }
    const AdjacencyGraph expected = graph_of(compressed.graph.n, edges);
    EXPECT_EQ(compressed.graph.begin, expected.begin);
    EXPECT_EQ(compressed.graph.neighbour, expected.neighbour);
  }
}

TEST(Compression, MakesOneVertexOfACompleteGraph) {
  const CompressedGraph compressed = compress(complete_graph(60));

  EXPECT_EQ(compressed.graph.n, 1);
  EXPECT_EQ(compressed.weight, std::vector<Index>{60});
  EXPECT_TRUE(compressed.graph.neighbour.empty());
  EXPECT_EQ(compressed.mean_weight(), 60);
}

TEST(Compression, FindsTheDisplacementsOfANode) {
  const CompressedGraph compressed = compress(multiplied(space_grid_graph(4), 3));

  EXPECT_EQ(compressed.graph.neighbour, space_grid_graph(4).neighbour);
  EXPECT_EQ(compressed.weight, std::vector<Index>(64, 3));
  EXPECT_EQ(compressed.mean_weight(), 3);
}

TEST(Compression, OfNoVerticesIsEmpty) {
  const CompressedGraph compressed = compress(edgeless_graph(0));

  EXPECT_EQ(compressed.graph.n, 0);
  EXPECT_EQ(compressed.mean_weight(), 1);
}

/// Pairs every third vertex with a neighbour, if one is left.
std::vector<Index> some_pairs(const AdjacencyGraph& graph) {
  std::vector<Index> partner(static_cast<std::size_t>(graph.n));
  std::iota(partner.begin(), partner.end(), 0);
  for (Index v = 0; v < graph.n; v += 3) {
    for (const Index w : graph.of(v)) {
      if (partner[v] != v || partner[w] != w) continue;
      partner[v] = w;
      partner[w] = v;
    }
  }
  return partner;
}

/// Returns the graph in which both vertices of a pair have the neighbours of both.
AdjacencyGraph with_shared_neighbours(const AdjacencyGraph& graph,
                                      const std::vector<Index>& partner) {
  Edges edges;
  for (Index v = 0; v < graph.n; ++v) {
    if (partner[v] != v) edges.emplace_back(v, partner[v]);
    for (const Index w : graph.of(v)) {
      for (const Index a : {v, partner[v]}) {
        for (const Index b : {w, partner[w]}) {
          if (a != b) edges.emplace_back(a, b);
        }
      }
    }
  }
  return graph_of(graph.n, edges);
}

/// Expects a graph whose merged vertices never divide a pair, and that has these edges.
void expect_pairs(const CompressedGraph& compressed, const AdjacencyGraph& graph,
                  const std::vector<Index>& partner) {
  EXPECT_EQ(compressed.matched.partner, partner);
  ASSERT_NO_THROW(check(compressed.graph));
  const Permutation members = Permutation::from_old_of(compressed.member);
  const AdjacencyGraph expected = permuted(graph, members);
  const AdjacencyGraph again = expanded(compressed);
  EXPECT_EQ(again.begin, expected.begin);
  EXPECT_EQ(again.neighbour, expected.neighbour);
  for (Index v = 0; v < graph.n; ++v) {
    if (partner[v] <= v) continue;
    EXPECT_EQ(members.new_of[partner[v]], members.new_of[v] + 1) << v;
  }
  for (Index c = 0; c < compressed.graph.n; ++c) {
    EXPECT_EQ(compressed.weight[c], std::ssize(compressed.members(c)));
    for (const Index v : compressed.members(c)) {
      EXPECT_GE(v, compressed.members(c).front());
      EXPECT_EQ(std::ranges::count(compressed.members(c), partner[v]), 1);
    }
  }
}

TEST(MergePairs, GivesBothVerticesTheNeighboursOfBoth) {
  for (const auto& [name, graph] : compression_graphs()) {
    SCOPED_TRACE(name);
    const std::vector<Index> partner = some_pairs(graph);
    const AdjacencyGraph shared = with_shared_neighbours(graph, partner);
    const CompressedGraph pairs = merge_pairs(lower_pattern(graph), {partner, {}});
    expect_pairs(pairs, shared, partner);
    for (const Index weight : pairs.weight) EXPECT_LE(weight, 2);
    const CompressedGraph merged = compress(pairs);
    expect_pairs(merged, shared, partner);
    expect_pairs(numbered_breadth_first(merged), shared, partner);
    EXPECT_EQ(merged.graph.n, compress(shared).graph.n);
  }
}

/// Returns relations in which each even vertex precedes the next one.
MatchedColumns even_precede_odd(Index n) {
  MatchedColumns matched{Permutation::identity(n).old_of, {}};
  for (Index v = 0; v < n; ++v) matched.predecessor.push_back(v % 2 == 0 ? -1 : v - 1);
  return matched;
}

TEST(MergePairs, PairsColumnsWithPredecessorsOfTheSameNeighbours) {
  // Vertices 2 v and 2 v + 1 are a variable and a constraint at vertex v of a grid. A constraint
  // has the variables of its vertex and of the neighbours.
  const AdjacencyGraph grid = grid_graph(20);
  Edges edges;
  for (Index v = 0; v < grid.n; ++v) {
    edges.emplace_back(2 * v, 2 * v + 1);
    for (const Index w : grid.of(v)) edges.emplace_back(2 * v, 2 * w + 1);
  }
  const AdjacencyGraph graph = graph_of(2 * grid.n, edges);
  const CompressedGraph merged = merge_pairs(lower_pattern(graph), even_precede_odd(graph.n));
  EXPECT_EQ(merged.graph.n, grid.n);
  EXPECT_EQ(merged.graph.neighbour, grid.neighbour);
  EXPECT_EQ(merged.matched.pairs(), grid.n);
  EXPECT_EQ(std::ranges::count(merged.matched.predecessor, -1), graph.n);
}

TEST(MergePairs, KeepsPredecessorsOfOtherNeighbours) {
  const AdjacencyGraph graph = path_graph(100);
  const CompressedGraph merged = merge_pairs(lower_pattern(graph), even_precede_odd(graph.n));
  EXPECT_EQ(merged.graph.n, graph.n);
  EXPECT_EQ(merged.matched.pairs(), 0);
  EXPECT_EQ(merged.matched.predecessor, even_precede_odd(graph.n).predecessor);
}

TEST(Uncompressed, LeavesEveryVertexOnItsOwn) {
  const CompressedGraph graph = uncompressed(complete_graph(5));

  EXPECT_EQ(graph.graph.neighbour, complete_graph(5).neighbour);
  EXPECT_EQ(graph.weight, std::vector<Index>(5, 1));
  EXPECT_EQ(graph.mean_weight(), 1);
  for (Index v = 0; v < 5; ++v) {
    ASSERT_EQ(graph.members(v).size(), 1U);
    EXPECT_EQ(graph.members(v)[0], v);
  }
  EXPECT_EQ(uncompressed(edgeless_graph(0)).member_begin, std::vector<Index>{0});
}

TEST(Expanded, IsTheGraphThatWasCompressed) {
  for (const auto& [name, graph] : compression_graphs()) {
    SCOPED_TRACE(name);
    const CompressedGraph compressed = compress(graph);
    const AdjacencyGraph again = expanded(compressed);
    const AdjacencyGraph expected = permuted(graph, Permutation::from_old_of(compressed.member));

    EXPECT_EQ(again.n, expected.n);
    EXPECT_EQ(again.begin, expected.begin);
    EXPECT_EQ(again.neighbour, expected.neighbour);
  }
}

TEST(Contract, UndoesAnOrderOfMembers) {
  for (const auto& [name, graph] : compression_graphs()) {
    SCOPED_TRACE(name);
    const CompressedGraph compressed = compress(graph);
    const Permutation order = random_permutation(compressed.graph.n, 3);

    EXPECT_EQ(contract(compressed, member_order(compressed, order)).old_of, order.old_of);
  }
}

TEST(Contract, FollowsTheFirstMembers) {
  const CompressedGraph compressed = compress(multiplied(path_graph(3), 2));

  const Permutation order = contract(compressed, Permutation::from_old_of({5, 0, 1, 4, 2, 3}));

  EXPECT_EQ(order.old_of, (std::vector<Index>{2, 0, 1}));
}

}  // namespace
namespace {

/// Replaces each vertex by `copies` consecutive vertices.
AdjacencyGraph node_by_node(const AdjacencyGraph& graph, Index copies) {
  std::vector<Index> old_of;
  for (Index v = 0; v < graph.n; ++v) {
    for (Index k = 0; k < copies; ++k) old_of.push_back(v + k * graph.n);
  }
  return permuted(multiplied(graph, copies), Permutation::from_old_of(old_of));
}

std::vector<NamedGraph> pattern_graphs() {
  auto graphs = ordering_graphs();
  graphs.push_back({"node by node", node_by_node(space_grid_graph(5), 3)});
  for (unsigned seed = 0; seed < 60; ++seed) {
    const Index n = 4 + static_cast<Index>(seed) % 9;
    const std::string name = "random " + std::to_string(seed);
    graphs.push_back({name, random_graph(n, n * (n - 1) / 3, seed)});
    graphs.push_back({name + ", pairs", node_by_node(random_graph(n, 2 * n, seed), 2)});
  }
  return graphs;
}

/// Returns the places where consecutive vertices have different closed neighbourhoods.
std::vector<Index> brute_force_pattern_groups(const AdjacencyGraph& graph) {
  const auto closed = [&](Index v) {
    std::vector<Index> list(graph.of(v).begin(), graph.of(v).end());
    list.insert(std::lower_bound(list.begin(), list.end(), v), v);
    return list;
  };
  std::vector<Index> begin{0};
  for (Index v = 1; v < graph.n; ++v) {
    if (closed(v - 1) != closed(v)) begin.push_back(v);
  }
  if (graph.n > 0) begin.push_back(graph.n);
  return begin;
}

TEST(ConsecutiveGroups, HoldIndistinguishableColumns) {
  for (const auto& [name, graph] : pattern_graphs()) {
    SCOPED_TRACE(name);
    EXPECT_EQ(consecutive_groups(lower_pattern(graph)), brute_force_pattern_groups(graph));
  }
}

TEST(PatternCompression, IsThatOfTheGraph) {
  for (const auto& [name, graph] : pattern_graphs()) {
    SCOPED_TRACE(name);
    const CompressedGraph expected = compress(graph);
    const CompressedGraph compressed = compress(lower_pattern(graph));

    EXPECT_EQ(compressed.graph.n, expected.graph.n);
    EXPECT_EQ(compressed.graph.begin, expected.graph.begin);
    EXPECT_EQ(compressed.graph.neighbour, expected.graph.neighbour);
    EXPECT_EQ(compressed.weight, expected.weight);
    EXPECT_EQ(compressed.member_begin, expected.member_begin);
    EXPECT_EQ(compressed.member, expected.member);
  }
}

}  // namespace
}  // namespace espalier::internal
