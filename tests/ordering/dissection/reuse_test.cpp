// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/dissection/reuse.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <utility>

#include "ordering/changed_columns.hpp"
#include "ordering/graphs.hpp"
#include "ordering/separator_tree.hpp"
#include "symbolic/column_counts.hpp"

namespace espalier::internal {
namespace {

/// A graph with an order, and another graph.
struct Change {
  AdjacencyGraph before, after;
  std::vector<Index> previous_of;  ///< empty if the numbers are equal

  SeparatorTree tree() const {
    const CompressedGraph graph = compress(before);
    const DissectedOrder order = dissection_ordering(graph, 1);
    return in_columns(graph, order.permutation, order.part);
  }
  std::vector<char> changed() const {
    return changed_columns(lower_pattern(after), lower_pattern(before), previous_of);
  }
  std::optional<DissectedOrder> reused(const SeparatorTree& previous, Index threads = 1) const {
    return reused_order(compress(after), {previous, previous_of, changed()}, threads);
  }
};

std::set<std::pair<Index, Index>> edges_of(const AdjacencyGraph& graph) {
  std::set<std::pair<Index, Index>> edges;
  for (Index v = 0; v < graph.n; ++v) {
    for (const Index w : graph.of(v)) {
      if (v < w) edges.emplace(v, w);
    }
  }
  return edges;
}

AdjacencyGraph graph_with(Index n, const std::set<std::pair<Index, Index>>& edges) {
  return graph_of(n, {edges.begin(), edges.end()});
}

/// Adds and removes edges in a grid: `near` ones between vertices in the same square of 4 x 4, and
/// `far` ones.
AdjacencyGraph with_changes(Index width, int near, int far, unsigned seed) {
  auto edges = edges_of(grid_graph(width));
  std::mt19937 random(seed);
  const auto below = [&](Index n) { return static_cast<Index>(random() % n); };
  for (int k = 0; k < near; ++k) {
    const Index x = below(width - 4);
    const Index y = below(width - 4);
    const auto vertex = [&] { return (y + below(4)) * width + x + below(4); };
    const auto [a, b] = std::minmax({vertex(), vertex()});
    if (a != b && !edges.insert({a, b}).second) edges.erase({a, b});
  }
  for (int k = 0; k < far; ++k) {
    const auto [a, b] = std::minmax({below(width * width), below(width * width)});
    if (a != b) edges.insert({a, b});
  }
  return graph_with(width * width, edges);
}

void expect_valid(const Change& change, const DissectedOrder& order) {
  const CompressedGraph graph = compress(change.after);
  EXPECT_NO_THROW(check(in_columns(graph, order.permutation, order.part), change.after));
}

TEST(Reuse, KeepsTheOrderOfAnEqualGraph) {
  for (const auto& [name, graph] : ordering_graphs()) {
    SCOPED_TRACE(name);
    const Change change{graph, graph, {}};
    const SeparatorTree previous = change.tree();
    const auto order = change.reused(previous);
    ASSERT_TRUE(order.has_value());
    const SeparatorTree tree = in_columns(compress(graph), order->permutation, order->part);
    EXPECT_EQ(tree.column, previous.column);
    EXPECT_EQ(tree.part, previous.part);
  }
}

TEST(Reuse, GivesAValidOrderAfterRandomChanges) {
  int reused = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const Change change{grid_graph(50), with_changes(50, 3 * seed, seed % 4, seed), {}};
    const auto order = change.reused(change.tree());
    if (!order) continue;
    ++reused;
    expect_valid(change, *order);
  }
  EXPECT_GT(reused, 10);
}

TEST(Reuse, KeepsTheLocalOrderOfPartsWithoutChanges) {
  const Change change{grid_graph(80), with_changes(80, 10, 0, 7), {}};
  const SeparatorTree previous = change.tree();
  const std::vector<char> changed = change.changed();
  const auto order = change.reused(previous);
  ASSERT_TRUE(order.has_value());
  const SeparatorTree tree = in_columns(compress(change.after), order->permutation, order->part);
  int kept = 0;
  for (const TreePart& part : previous.part) {
    const std::vector<Index> columns(previous.column.begin() + part.first,
                                     previous.column.begin() + part.end);
    if (std::ranges::any_of(columns, [&](Index v) { return changed[v] != 0; })) continue;
    if (columns.empty()) continue;
    EXPECT_FALSE(std::ranges::search(tree.column, columns).empty());
    ++kept;
  }
  EXPECT_GT(kept, 10);
}

TEST(Reuse, DoesNotDependOnThreads) {
  for (const int far : {0, 1}) {
    const Change change{grid_graph(130), with_changes(130, 60, far, 3), {}};
    const SeparatorTree previous = change.tree();
    const auto first = change.reused(previous, 1);
    ASSERT_TRUE(first.has_value());
    for (const Index threads : {2, 4}) {
      const auto again = change.reused(previous, threads);
      EXPECT_EQ(again->permutation.old_of, first->permutation.old_of);
      EXPECT_EQ(again->part, first->part);
    }
  }
}

TEST(Reuse, NeedsAboutAsManyFlopsAsANewOrder) {
  for (const unsigned seed : {1U, 2U, 3U}) {
    const Change change{grid_graph(100), with_changes(100, 100, 0, seed), {}};
    const auto order = change.reused(change.tree());
    ASSERT_TRUE(order.has_value());
    const CompressedGraph graph = compress(change.after);
    const auto flops = [&](const Permutation& permutation) {
      return factorization_cost(counted_order(graph, permutation)).flops;
    };
    EXPECT_LT(flops(order->permutation), 1.3 * flops(dissection_ordering(graph, 1).permutation));
  }
}

TEST(Reuse, GivesUpIfTooMuchHasChanged) {
  const Change other{grid_graph(60), random_graph(3600, 8000, 1), {}};
  EXPECT_FALSE(other.reused(other.tree()).has_value());
  const Change single{grid_graph(15), with_changes(15, 1, 0, 3), {}};
  ASSERT_NE(edges_of(single.before), edges_of(single.after));
  EXPECT_FALSE(single.reused({Permutation::identity(225).old_of, one_part(225)}).has_value());
}

/// Removes some vertices of a grid and adds others, each with two neighbours.
Change with_other_vertices(Index width, Index removed, Index added, unsigned seed) {
  Change change{grid_graph(width), {}, {}};
  const Index n = change.before.n;
  std::mt19937 random(seed);
  std::vector<Index> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  std::vector<char> gone(n, 0);
  for (Index k = 0; k < removed; ++k) gone[order[k]] = 1;
  std::vector<Index> now(n, -1);
  for (Index v = 0; v < n; ++v) {
    if (gone[v] != 0) continue;
    now[v] = static_cast<Index>(change.previous_of.size());
    change.previous_of.push_back(v);
  }
  std::set<std::pair<Index, Index>> edges;
  for (const auto& [a, b] : edges_of(change.before)) {
    if (now[a] >= 0 && now[b] >= 0) edges.emplace(now[a], now[b]);
  }
  for (Index k = 0; k < added; ++k) {
    const auto v = static_cast<Index>(change.previous_of.size());
    const Index near = static_cast<Index>(random() % (n - removed - 1));
    edges.emplace(near, v);
    edges.emplace(near + 1, v);
    change.previous_of.push_back(-1);
  }
  change.after = graph_with(static_cast<Index>(change.previous_of.size()), edges);
  return change;
}

TEST(Reuse, AcceptsOtherVertices) {
  int reused = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    const Change change = with_other_vertices(60, 2 * seed, 3 * seed, seed);
    const auto order = change.reused(change.tree());
    if (!order) continue;
    ++reused;
    expect_valid(change, *order);
  }
  EXPECT_GT(reused, 10);
}

TEST(Reuse, FollowsARenumbering) {
  const AdjacencyGraph grid = grid_graph(50);
  const Permutation renumbering = random_permutation(grid.n, 5);
  const Change change{grid, permuted(grid, renumbering), renumbering.old_of};
  const SeparatorTree previous = change.tree();
  const auto order = change.reused(previous);
  ASSERT_TRUE(order.has_value());
  const SeparatorTree tree = in_columns(compress(change.after), order->permutation, order->part);
  EXPECT_EQ(tree.part, previous.part);
  for (Index k = 0; k < grid.n; ++k) {
    EXPECT_EQ(renumbering.old_of[tree.column[k]], previous.column[k]);
  }
}

TEST(Reuse, DissectsLargeLeavesOfNewVertices) {
  const AdjacencyGraph grid = grid_graph(70);
  Change change{grid_graph(30), grid, {}};
  for (Index v = 0; v < grid.n; ++v) {
    const Index x = v % 70;
    const Index y = v / 70;
    change.previous_of.push_back(x < 30 && y < 30 ? y * 30 + x : -1);
  }
  const auto order = change.reused(change.tree());
  if (order) expect_valid(change, *order);
}

}  // namespace
}  // namespace espalier::internal
