// SPDX-License-Identifier: BSD-3-Clause

#include "symbolic/etree.hpp"

#include <numeric>
#include <string>
#include <utility>

#include "base/parallel.hpp"
#include "espalier/error.hpp"

namespace espalier::internal {

namespace {

constexpr Index vertices_a_task = 5'000;
// Prefetch distances of offsets and lists, in vertices. Prefetching makes gather() much faster if
// the numbering of the graph is random.
constexpr Index offset_distance = 32;
constexpr Index list_distance = 16;

void expect_sizes(const AdjacencyGraph& graph, const Permutation& ordering) {
  if (ordering.size() != graph.n) {
    throw UsageError("an ordering of " + std::to_string(ordering.size()) +
                     " vertices was given for a graph of " + std::to_string(graph.n) +
                     ": pass one that orders this graph");
  }
}

void gather(const AdjacencyGraph& graph, const Permutation& ordering, Index first, Index last,
            EliminationGraph& result) {
  for (Index v = first; v < last; ++v) {
    if (v < last - offset_distance) {
      __builtin_prefetch(&graph.begin[ordering.old_of[v + offset_distance]]);
      __builtin_prefetch(graph.neighbour.data() + graph.begin[ordering.old_of[v + list_distance]]);
    }
    Count earlier_end = result.begin[v];
    Count later_begin = result.begin[v + 1];
    for (const Index old : graph.of(ordering.old_of[v])) {
      const Index u = ordering.new_of[old];
      result.neighbour[u < v ? earlier_end++ : --later_begin] = u;
    }
    result.later_begin[v] = later_begin;
  }
}

}  // namespace

EliminationGraph elimination_graph(const AdjacencyGraph& graph, const Permutation& ordering,
                                   Index workers) {
  expect_sizes(graph, ordering);
  EliminationGraph result;
  result.n = graph.n;
  result.begin.resize(static_cast<std::size_t>(graph.n) + 1);
  result.later_begin.resize(graph.n);
  result.neighbour.resize(graph.neighbour.size());
  parallel_ranges(graph.n, vertices_a_task, workers, [&](Index first, Index last) {
    for (Index v = first; v < last; ++v) {
      const Index old = ordering.old_of[v];
      result.begin[v + 1] = graph.begin[old + 1] - graph.begin[old];
    }
  });
  std::inclusive_scan(result.begin.begin(), result.begin.end(), result.begin.begin());
  parallel_ranges(graph.n, vertices_a_task, workers,
                  [&](Index first, Index last) { gather(graph, ordering, first, last, result); });
  return result;
}

EliminationGraph earlier_neighbours(Index n, std::span<const ColumnPair> pairs, Index end) {
  const auto counts = [&](ColumnPair pair) {
    return pair.earlier < end && pair.earlier != pair.later;
  };
  EliminationGraph result;
  result.n = n;
  result.begin.assign(static_cast<std::size_t>(n) + 1, 0);
  for (const ColumnPair pair : pairs) {
    if (counts(pair)) ++result.begin[pair.later + 1];
  }
  std::inclusive_scan(result.begin.begin(), result.begin.end(), result.begin.begin());
  result.neighbour.resize(static_cast<std::size_t>(result.begin.back()));
  result.later_begin.assign(result.begin.begin(), result.begin.end() - 1);
  for (const ColumnPair pair : pairs) {
    if (counts(pair)) result.neighbour[result.later_begin[pair.later]++] = pair.earlier;
  }
  return result;
}

std::vector<Index> elimination_tree(const EliminationGraph& graph) {
  std::vector<Index> parent(graph.n, -1);
  std::vector<Index> ancestor(graph.n, -1);
  for (Index v = 0; v < graph.n; ++v) {
    for (Index root : graph.earlier(v)) {
      while (ancestor[root] != -1 && ancestor[root] != v) {
        root = std::exchange(ancestor[root], v);
      }
      if (ancestor[root] == -1) {
        ancestor[root] = v;
        parent[root] = v;
      }
    }
  }
  return parent;
}

Permutation postorder(std::span<const Index> parent) {
  const auto n = static_cast<Index>(parent.size());
  std::vector<Index> subtree_size(n, 1);
  for (Index v = 0; v < n; ++v) {
    if (parent[v] != -1) subtree_size[parent[v]] += subtree_size[v];
  }
  // The loop goes down, so that parents come before children. Each vertex takes the end of the
  // range that its larger siblings left. `range_end` of v is the end of the range for its remaining
  // children.
  std::vector<Index> range_end(n);
  Index forest_end = n;
  Permutation result{std::vector<Index>(n), std::vector<Index>(n)};
  for (Index v = n; v-- > 0;) {
    Index& end = parent[v] == -1 ? forest_end : range_end[parent[v]];
    const Index number = end - 1;
    end -= subtree_size[v];
    range_end[v] = number;
    result.new_of[v] = number;
    result.old_of[number] = v;
  }
  return result;
}

std::vector<Index> renumbered_forest(std::span<const Index> parent,
                                     const Permutation& permutation) {
  std::vector<Index> result(parent.size());
  for (Index v = 0; v < permutation.size(); ++v) {
    result[permutation.new_of[v]] = parent[v] == -1 ? -1 : permutation.new_of[parent[v]];
  }
  return result;
}

std::vector<Index> first_descendants(std::span<const Index> parent) {
  std::vector<Index> first(parent.size());
  std::iota(first.begin(), first.end(), 0);
  for (std::size_t v = 0; v < parent.size(); ++v) {
    if (parent[v] != -1 && first[v] < first[parent[v]]) first[parent[v]] = first[v];
  }
  return first;
}

EliminationOrder elimination_order(const CompressedGraph& graph, const Permutation& ordering,
                                   Index workers) {
  EliminationOrder order;
  order.graph = elimination_graph(graph.graph, ordering, workers);
  const std::vector<Index> parent = elimination_tree(order.graph);
  order.postorder = postorder(parent);
  order.parent = renumbered_forest(parent, order.postorder);
  order.weight.reserve(parent.size());
  for (const Index v : order.postorder.old_of) {
    order.weight.push_back(graph.weight[ordering.old_of[v]]);
  }
  return order;
}

}  // namespace espalier::internal
