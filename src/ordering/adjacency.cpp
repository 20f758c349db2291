// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/adjacency.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "base/uninitialized.hpp"
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

/// Minimum number of entries for sorting them into buckets. Fewer entries stay in the cache.
constexpr Count many_entries = 200'000;

constexpr Index vertices_a_task = 5'000;

/// Builds the graph of a large lower triangle, possibly on several workers. Blocks of consecutive
/// columns sort their entries into buckets, one per range of rows. Then each range writes its own
/// lists.
class SharedAdjacency {
 public:
  SharedAdjacency(const PatternView& pattern, Index workers)
      : pattern_(pattern), workers_(workers), parts_(part_count) {
    while ((Count{parts_} << shift_) < pattern.n) ++shift_;
    end_.assign(static_cast<std::size_t>(parts_) * parts_, 0);
  }

  AdjacencyGraph build() {
    for_each_part([&](Index block) { count_entries(block); });
    Count entries = 0;
    for (Count& end : end_) entries += std::exchange(end, entries);
    entry_.resize(entries);
    for_each_part([&](Index block) { sort_entries(block); });
    AdjacencyGraph graph;
    graph.n = pattern_.n;
    graph.begin.assign(Count{pattern_.n} + 1, 0);
    for_each_part([&](Index range) { count_neighbours(range, graph); });
    open_lists(graph);
    for_each_part([&](Index range) { list_neighbours(range, graph); });
    return graph;
  }

 private:
  static constexpr Index part_count = 64;

  struct Entry {
    Index row, column;
  };

  template <typename Body>
  void for_each_part(Body body) const {
    parallel_for(parts_, workers_, body);
  }

  template <typename Function>
  void for_each_entry(Index block, Function f) const {
    const auto border = [&](Index k) { return static_cast<Index>(Count{pattern_.n} * k / parts_); };
    for (Index j = border(block); j < border(block + 1); ++j) {
      for (const Index i : pattern_.column(j).subspan(1)) f(i, j);
    }
  }

  /// The end of the entries of a block of columns in the bucket of a range.
  Count& end_of(Index range, Index block) {
    return end_[static_cast<std::size_t>(range) * parts_ + block];
  }
  /// Returns the entries in the bucket of a range, by ascending column.
  std::span<const Entry> bucket(Index range) {
    const Count first = range == 0 ? 0 : end_of(range - 1, parts_ - 1);
    return {entry_.data() + first, entry_.data() + end_of(range, parts_ - 1)};
  }
  Index first_of(Index range) const {
    return static_cast<Index>(std::min<Count>(pattern_.n, Count{range} << shift_));
  }

  void count_entries(Index block) {
    std::vector<Count> count(parts_, 0);  // separate from those of other threads
    for_each_entry(block, [&](Index i, Index) { ++count[i >> shift_]; });
    for (Index range = 0; range < parts_; ++range) end_of(range, block) = count[range];
  }

  void sort_entries(Index block) {
    std::vector<Count> end(parts_);
    for (Index range = 0; range < parts_; ++range) end[range] = end_of(range, block);
    for_each_entry(block, [&](Index i, Index j) { entry_[end[i >> shift_]++] = {i, j}; });
    for (Index range = 0; range < parts_; ++range) end_of(range, block) = end[range];
  }

  void count_neighbours(Index range, AdjacencyGraph& graph) {
    for (Index v = first_of(range); v < first_of(range + 1); ++v) {
      graph.begin[v + 1] = static_cast<Count>(pattern_.column(v).size()) - 1;
    }
    for (const Entry entry : bucket(range)) ++graph.begin[entry.row + 1];
  }

  void list_neighbours(Index range, AdjacencyGraph& graph) {
    const Index first = first_of(range);
    const Index last = first_of(range + 1);
    std::vector<Count> end(graph.begin.begin() + first, graph.begin.begin() + last);
    for (const Entry entry : bucket(range)) {
      graph.neighbour[end[entry.row - first]++] = entry.column;
    }
    for (Index v = first; v < last; ++v) {
      std::ranges::copy(pattern_.column(v).subspan(1), graph.neighbour.begin() + end[v - first]);
    }
  }

  const PatternView& pattern_;
  const Index workers_;
  const Index parts_;  ///< number of blocks of columns, and of ranges of rows
  int shift_ = 0;      ///< a range has 2^shift_ rows
  std::vector<Count> end_;
  UninitializedVector<Entry> entry_;
};

}  // namespace

AdjacencyGraph adjacency(const PatternView& pattern, Index workers) {
  if (pattern.entries() >= many_entries) {
    return SharedAdjacency(pattern, workers).build();
  }
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

namespace {

// Prefetching the old lists saves much time if the old numbering is random. Distances in vertices:
constexpr Index begin_distance = 32;
constexpr Index neighbours_distance = 16;
constexpr Index renumbering_distance = 8;

/// Writes the lists of some vertices of a renumbered graph.
void gather_lists(const AdjacencyGraph& graph, const Permutation& permutation, Index first,
                  Index last, AdjacencyGraph& result) {
  for (Index v = first; v < last; ++v) {
    if (v < last - begin_distance) {
      __builtin_prefetch(&graph.begin[permutation.old_of[v + begin_distance]]);
      __builtin_prefetch(graph.neighbour.data() +
                         graph.begin[permutation.old_of[v + neighbours_distance]]);
      for (const Index old : graph.of(permutation.old_of[v + renumbering_distance])) {
        __builtin_prefetch(&permutation.new_of[old]);
      }
    }
    auto end = result.neighbour.begin() + result.begin[v];
    for (const Index old : graph.of(permutation.old_of[v])) *end++ = permutation.new_of[old];
    std::sort(result.neighbour.begin() + result.begin[v], end);
  }
}

}  // namespace

AdjacencyGraph permuted(const AdjacencyGraph& graph, const Permutation& permutation,
                        Index workers) {
  AdjacencyGraph result;
  result.n = graph.n;
  result.begin.assign(Count{graph.n} + 1, 0);
  parallel_ranges(graph.n, vertices_a_task, workers, [&](Index first, Index last) {
    for (Index v = first; v < last; ++v) {
      const Index old = permutation.old_of[v];
      result.begin[v + 1] = graph.begin[old + 1] - graph.begin[old];
    }
  });
  open_lists(result);
  if (workers > 1) {
    parallel_ranges(graph.n, vertices_a_task, workers, [&](Index first, Index last) {
      gather_lists(graph, permutation, first, last, result);
    });
    return result;
  }

  // Because the graph is symmetric, writing ascending v to the lists of its neighbours sorts each
  // list.
  std::vector<Count> end(result.begin.begin(), result.begin.end() - 1);
  for (Index v = 0; v < graph.n; ++v) {
    if (v < graph.n - begin_distance) {
      __builtin_prefetch(&graph.begin[permutation.old_of[v + begin_distance]]);
      __builtin_prefetch(graph.neighbour.data() +
                         graph.begin[permutation.old_of[v + neighbours_distance]]);
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
