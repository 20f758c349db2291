// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/predecessors.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <utility>
#include <vector>

#include "ordering/graphs.hpp"
#include "scaling/bipartite_matching.hpp"

namespace espalier::internal {
namespace {

using List = std::vector<Index>;

/// Columns that may precede a column: the predecessor first, then its alternatives.
using Lists = std::vector<List>;

MatchedColumns matched_columns(const Lists& predecessors) {
  MatchedColumns matched;
  matched.alternative_begin = {0};
  for (const List& list : predecessors) {
    matched.predecessor.push_back(list.empty() ? -1 : list.front());
    if (!list.empty()) {
      matched.alternative.insert(matched.alternative.end(), list.begin() + 1, list.end());
    }
    matched.alternative_begin.push_back(std::ssize(matched.alternative));
  }
  return matched;
}

List order_after(const AdjacencyGraph& graph, const Lists& predecessors, const List& order) {
  CompressedGraph compressed = uncompressed(graph);
  compressed.matched = matched_columns(predecessors);
  return after_predecessors(compressed, Permutation::from_old_of(order)).old_of;
}

TEST(AfterPredecessors, MovesAVertexDirectlyBehindItsPredecessor) {
  EXPECT_EQ(order_after(path_graph(5), {{3}, {}, {}, {}, {}}, {0, 1, 2, 3, 4}),
            (List{1, 2, 3, 0, 4}));
  EXPECT_EQ(order_after(path_graph(5), {{3}, {}, {}, {}, {}}, {3, 1, 2, 0, 4}),
            (List{3, 1, 2, 0, 4}));
}

TEST(AfterPredecessors, MovesChains) {
  EXPECT_EQ(order_after(path_graph(4), {{1}, {2}, {}, {}}, {0, 1, 2, 3}), (List{2, 1, 0, 3}));
}

TEST(AfterPredecessors, KeepsVerticesThatWaitForEachOther) {
  EXPECT_EQ(order_after(path_graph(4), {{1}, {0}, {}, {}}, {1, 0, 2, 3}), (List{2, 3, 1, 0}));
}

TEST(AfterPredecessors, IgnoresPredecessorsInTheSameMergedVertex) {
  CompressedGraph graph = compress(complete_graph(3));
  graph.matched = matched_columns({{1}, {}, {}});
  EXPECT_EQ(after_predecessors(graph, Permutation::identity(1)).old_of, List{0});
}

TEST(AfterPredecessors, TakesAnAlternativeThatIsPlaced) {
  EXPECT_EQ(order_after(path_graph(5), {{3, 4}, {}, {}, {}, {}}, {4, 0, 1, 2, 3}),
            (List{4, 0, 1, 2, 3}));
}

TEST(AfterPredecessors, TakesAnAlternativeThatIsPlacedEarlier) {
  EXPECT_EQ(order_after(path_graph(5), {{4, 2}, {}, {}, {}, {}}, {0, 1, 2, 3, 4}),
            (List{1, 2, 0, 3, 4}));
}

TEST(AfterPredecessors, LeavesPredecessorsToTheirFollowers) {
  // Vertex 1 could take vertex 3, which precedes vertex 0.
  EXPECT_EQ(order_after(path_graph(5), {{3}, {4, 3}, {}, {}, {}}, {1, 2, 3, 4, 0}),
            (List{2, 3, 4, 1, 0}));
  // Vertex 0 takes vertex 2, and leaves vertex 3 to vertex 1.
  EXPECT_EQ(order_after(path_graph(5), {{3, 2}, {4, 3}, {}, {}, {}}, {2, 0, 1, 3, 4}),
            (List{2, 0, 3, 1, 4}));
}

TEST(AfterPredecessors, WaitsForAllMembersOfAMergedVertex) {
  CompressedGraph graph = uncompressed(path_graph(4));
  graph.weight = {2, 1, 1, 1};
  graph.member = {0, 1, 2, 3, 4};
  graph.member_begin = {0, 2, 3, 4, 5};
  graph.matched = matched_columns({{3}, {4}, {}, {}, {}});
  EXPECT_EQ(after_predecessors(graph, Permutation::identity(4)).old_of, (List{1, 2, 3, 0}));
}

/// Returns whether distinct vertices that are earlier in the order can precede all followers.
bool has_predecessors(const Lists& predecessors, const Permutation& order) {
  CostColumns columns;
  columns.rows = order.size();
  for (Index v = 0; v < order.size(); ++v) {
    for (const Index p : predecessors[v]) {
      if (order.new_of[p] < order.new_of[v]) columns.entry.push_back({p, 0});
    }
    if (!predecessors[v].empty()) columns.begin.push_back(std::ssize(columns.entry));
  }
  const List row_of = bipartite_matching(columns);
  return std::ranges::count(row_of, -1) == 0;
}

TEST(AfterPredecessors, HoldsInRandomGraphs) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 engine(seed);
    const Index n = 60, followers = 25;
    Lists predecessors(static_cast<std::size_t>(n));
    for (Index v = 0; v < followers; ++v) {
      predecessors[v].push_back(followers + v);
      for (unsigned k = 0; k < seed % 4; ++k) {
        const auto p = followers + static_cast<Index>(engine() % (n - followers));
        if (std::ranges::count(predecessors[v], p) == 0) predecessors[v].push_back(p);
      }
    }
    List order = Permutation::identity(n).old_of;
    std::shuffle(order.begin(), order.end(), engine);
    const List result = order_after(random_graph(n, 2 * n, seed), predecessors, order);
    const Permutation moved = Permutation::from_old_of(result);
    EXPECT_TRUE(has_predecessors(predecessors, moved));
    if (has_predecessors(predecessors, Permutation::from_old_of(order)) && seed % 4 == 0) {
      EXPECT_EQ(result, order);
    }
    // Vertices that wait for nothing keep their order.
    List free_before, free_after;
    std::ranges::copy_if(order, std::back_inserter(free_before),
                         [&](Index v) { return v >= followers; });
    std::ranges::copy_if(result, std::back_inserter(free_after),
                         [&](Index v) { return v >= followers; });
    EXPECT_EQ(free_after, free_before);
  }
}

}  // namespace
}  // namespace espalier::internal
