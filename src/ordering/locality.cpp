// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/locality.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>
#include <vector>

#include "base/parallel.hpp"

namespace espalier::internal {

namespace {

constexpr Index sample_size = 512;

/// Minimum number of vertices for renumbering. Smaller graphs fit into the cache.
constexpr Index large_graph = 10000;

/// Minimum fraction of far neighbours for renumbering. The fraction is 3/4 in a random numbering,
/// and 0 in a grid numbered by rows.
constexpr double many_far = 0.25;

/// Vertices at most this far apart have their data in the same or in adjacent cache lines.
constexpr Index nearby = 16;

/// Distances of the prefetch of offsets and lists, in vertices. In a random numbering each one is a
/// cache miss.
constexpr std::size_t offset_distance = 32;
constexpr std::size_t list_distance = 16;

constexpr Index vertices_per_task = 5'000;

bool is_far(const AdjacencyGraph& graph, Index v, Index u) {
  if (std::abs(u - v) <= graph.n / 8) return false;
  const Index beside = v > 0 ? v - 1 : 1;
  return std::ranges::none_of(graph.of(beside),
                              [u](Index other) { return std::abs(other - u) <= nearby; });
}

}  // namespace

double share_of_far_neighbours(const AdjacencyGraph& graph) {
  const Index step = std::max<Index>(1, graph.n / sample_size);
  Count neighbours = 0;
  Count far = 0;
  for (Index v = 0; v < graph.n; v += step) {
    for (const Index u : graph.of(v)) far += is_far(graph, v, u) ? 1 : 0;
    neighbours += static_cast<Count>(graph.of(v).size());
    if (v > graph.n - step) break;
  }
  return neighbours == 0 ? 0 : static_cast<double>(far) / static_cast<double>(neighbours);
}

std::vector<Index> breadth_first_order(const AdjacencyGraph& graph, Index first) {
  std::vector<Index> order;
  order.reserve(graph.n);
  std::vector<bool> met(graph.n, false);
  std::size_t next = 0;
  for (Index k = -1; k < graph.n; ++k) {
    const Index root = k < 0 ? first : k;
    if (root >= graph.n || met[root]) continue;
    met[root] = true;
    order.push_back(root);
    for (; next < order.size(); ++next) {
      if (next + offset_distance < order.size()) {
        __builtin_prefetch(&graph.begin[order[next + offset_distance]]);
        const Index ahead = order[next + list_distance];
        __builtin_prefetch(graph.neighbour.data() + graph.begin[ahead]);
      }
      for (const Index u : graph.of(order[next])) {
        if (met[u]) continue;
        met[u] = true;
        order.push_back(u);
      }
    }
  }
  return order;
}

namespace {

/// Copies the weights and members of merged vertices in their new order.
void renumber_members(const CompressedGraph& graph, const std::vector<Index>& old_of, Index workers,
                      CompressedGraph& result) {
  const Index n = graph.graph.n;
  result.weight.resize(n);
  result.member_begin.resize(Count{n} + 1);
  result.member.resize(graph.member.size());
  parallel_ranges(n, vertices_per_task, workers, [&](Index first, Index last) {
    for (Index v = first; v < last; ++v) result.weight[v] = graph.weight[old_of[v]];
  });
  std::inclusive_scan(result.weight.begin(), result.weight.end(), result.member_begin.begin() + 1);
  parallel_ranges(n, vertices_per_task, workers, [&](Index first, Index last) {
    for (Index v = first; v < last; ++v) {
      const auto members = graph.members(old_of[v]);
      std::ranges::copy(members, result.member.begin() + result.member_begin[v]);
    }
  });
}

}  // namespace

CompressedGraph numbered_breadth_first(const CompressedGraph& graph, Index workers) {
  const Permutation numbering = Permutation::from_old_of(breadth_first_order(graph.graph));
  CompressedGraph result;
  result.matched = graph.matched;
  result.graph = permuted(graph.graph, numbering, workers);
  renumber_members(graph, numbering.old_of, workers, result);
  return result;
}

CompressedGraph with_local_numbering(CompressedGraph graph, Index workers) {
  const bool random = share_of_far_neighbours(graph.graph) > many_far;
  return graph.graph.n >= large_graph && random ? numbered_breadth_first(graph, workers)
                                                : std::move(graph);
}

}  // namespace espalier::internal
