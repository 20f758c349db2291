// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/locality.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

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

/// Distance of the prefetch of lists, in vertices. In a random numbering each list is a cache miss.
constexpr std::size_t list_distance = 16;

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
      if (next + list_distance < order.size()) {
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

CompressedGraph numbered_breadth_first(const CompressedGraph& graph) {
  const Permutation numbering = Permutation::from_old_of(breadth_first_order(graph.graph));
  CompressedGraph result;
  result.matched = graph.matched;
  result.graph = permuted(graph.graph, numbering);
  result.weight.reserve(graph.weight.size());
  result.member.reserve(graph.member.size());
  result.member_begin.reserve(graph.member_begin.size());
  for (const Index c : numbering.old_of) {
    const auto members = graph.members(c);
    result.weight.push_back(graph.weight[c]);
    result.member.insert(result.member.end(), members.begin(), members.end());
    result.member_begin.push_back(static_cast<Index>(result.member.size()));
  }
  return result;
}

CompressedGraph with_local_numbering(CompressedGraph graph) {
  const bool random = share_of_far_neighbours(graph.graph) > many_far;
  return graph.graph.n >= large_graph && random ? numbered_breadth_first(graph) : std::move(graph);
}

}  // namespace espalier::internal
