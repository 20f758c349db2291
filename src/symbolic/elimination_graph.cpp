// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/elimination_graph.hpp"

#include <numeric>
#include <string>

#include "base/parallel.hpp"
#include "espalier/error.hpp"

namespace espalier {

namespace {

constexpr Index vertices_a_task = 5'000;
// Asking ahead for lists is 2.5 times faster where the numbering of the graph is random.
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

}  // namespace espalier
