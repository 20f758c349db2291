// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/adjacency.hpp"

#include <string>

#include "espalier/error.hpp"

namespace espalier::internal {

namespace {

/// Turns the counts in begin[1..n] into offsets, and allocates the neighbours.
void open_lists(AdjacencyGraph& graph) {
  for (Index v = 0; v < graph.n; ++v) {
    graph.begin[v + 1] += graph.begin[v];
  }
  graph.neighbour.resize(graph.begin[graph.n]);
}

void check_offsets(const AdjacencyGraph& graph) {
  if (graph.n < 0 || static_cast<Count>(graph.begin.size()) != Count{graph.n} + 1 ||
      graph.begin.front() != 0 ||
      graph.begin.back() != static_cast<Count>(graph.neighbour.size())) {
    throw InputError("the offsets of a graph of " + std::to_string(graph.n) +
                     " vertices do not span its " + std::to_string(graph.neighbour.size()) +
                     " neighbours");
  }
  for (Index v = 0; v < graph.n; ++v) {
    if (graph.begin[v] > graph.begin[v + 1]) {
      throw InputError("the neighbours of vertex " + std::to_string(v) + " end before they begin");
    }
  }
}

void check_list(const AdjacencyGraph& graph, Index v) {
  Index last = -1;
  for (const Index w : graph.of(v)) {
    if (w == v) {
      throw InputError("vertex " + std::to_string(v) + " is its own neighbour");
    }
    if (w <= last || w >= graph.n) {
      throw InputError("neighbour " + std::to_string(w) + " of vertex " + std::to_string(v) +
                       " is out of order or outside 0.." + std::to_string(graph.n - 1));
    }
    last = w;
  }
}

/// Throws InputError if an edge has no reverse. Because lists ascend, reverse edges are met in the
/// order in which they are stored.
void check_reverses(const AdjacencyGraph& graph) {
  std::vector<Count> next(graph.begin.begin(), graph.begin.end() - 1);
  for (Index v = 0; v < graph.n; ++v) {
    for (const Index w : graph.of(v)) {
      const bool listed = next[w] < graph.begin[w + 1];
      const Index expected = listed ? graph.neighbour[next[w]] : graph.n;
      if (expected != v) {
        const bool earlier = expected < v;
        throw InputError("the edge from vertex " + std::to_string(earlier ? w : v) + " to vertex " +
                         std::to_string(earlier ? expected : w) + " has no reverse");
      }
      ++next[w];
    }
  }
}

}  // namespace

AdjacencyGraph adjacency(const PatternView& pattern) {
  AdjacencyGraph graph;
  graph.n = pattern.n;
  graph.begin.assign(Count{pattern.n} + 1, 0);
  for (Index j = 0; j < pattern.n; ++j) {
    const auto below = pattern.column(j).subspan(1);
    graph.begin[j + 1] += static_cast<Count>(below.size());
    for (const Index i : below) {
      ++graph.begin[i + 1];
    }
  }
  open_lists(graph);

  // When column j is read, list j already holds its smaller neighbours, in ascending order.
  std::vector<Count> end(graph.begin.begin(), graph.begin.end() - 1);
  for (Index j = 0; j < pattern.n; ++j) {
    Count position = end[j];
    for (const Index i : pattern.column(j).subspan(1)) {
      graph.neighbour[position++] = i;
      graph.neighbour[end[i]++] = j;
    }
    end[j] = position;
  }
  return graph;
}

AdjacencyGraph permuted(const AdjacencyGraph& graph, const Permutation& permutation) {
  AdjacencyGraph result;
  result.n = graph.n;
  result.begin.assign(Count{graph.n} + 1, 0);
  for (Index v = 0; v < graph.n; ++v) {
    const Index old = permutation.old_of[v];
    result.begin[v + 1] = graph.begin[old + 1] - graph.begin[old];
  }
  open_lists(result);

  // Because the graph is symmetric, writing ascending v to the lists of its neighbours sorts each
  // list.
  std::vector<Count> end(result.begin.begin(), result.begin.end() - 1);
  // Prefetching the old lists saves much time if the old numbering is random.
  constexpr Index offset_distance = 32;
  constexpr Index list_distance = 16;
  for (Index v = 0; v < graph.n; ++v) {
    if (v < graph.n - offset_distance) {
      __builtin_prefetch(&graph.begin[permutation.old_of[v + offset_distance]]);
      __builtin_prefetch(graph.neighbour.data() +
                         graph.begin[permutation.old_of[v + list_distance]]);
    }
    for (const Index old : graph.of(permutation.old_of[v])) {
      result.neighbour[end[permutation.new_of[old]]++] = v;
    }
  }
  return result;
}

void check(const AdjacencyGraph& graph) {
  check_offsets(graph);
  for (Index v = 0; v < graph.n; ++v) {
    check_list(graph, v);
  }
  check_reverses(graph);
}

}  // namespace espalier::internal
