// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/methods.hpp"

#include <amd.h>
#include <array>
#include <limits>

namespace espalier {

namespace {

/// Both widths of the entry that takes the graph as it is, symmetric, and destroys it; amd_order
/// would first rebuild the graph as A + A^T.
constexpr auto narrow_amd = amd_2;
constexpr auto wide_amd = amd_l2;

template <typename Integer, typename Method>
std::vector<Index> minimum_degree(const AdjacencyGraph& graph, Integer room, Method method) {
  std::vector<Integer> begin(graph.begin.begin(), graph.begin.end() - 1);
  std::vector<Integer> degree(graph.n);
  for (Index v = 0; v < graph.n; ++v) {
    degree[v] = static_cast<Integer>(graph.of(v).size());
  }
  std::vector<Integer> lists(room);
  std::copy(graph.neighbour.begin(), graph.neighbour.end(), lists.begin());
  std::array<std::vector<Integer>, 7> work;
  for (auto& array : work) {
    array.resize(graph.n);
  }
  auto& [sizes, next, order, head, elements, degrees, marks] = work;
  method(graph.n, begin.data(), lists.data(), degree.data(), room,
         static_cast<Integer>(graph.neighbour.size()), sizes.data(), next.data(), order.data(),
         head.data(), elements.data(), degrees.data(), marks.data(), nullptr, nullptr);
  return {order.begin(), order.end()};
}

}  // namespace

std::vector<Index> amd_order(const AdjacencyGraph& graph) {
  if (graph.n == 0) {
    return {};
  }
  // A fifth of spare room keeps garbage collections rare (AMD's own choice).
  const Count neighbours = static_cast<Count>(graph.neighbour.size());
  const Count room = neighbours + neighbours / 5 + graph.n + 1;
  if (room <= std::numeric_limits<int>::max()) {
    return minimum_degree(graph, static_cast<int>(room), narrow_amd);
  }
  return minimum_degree(graph, static_cast<SuiteSparse_long>(room), wide_amd);
}

}  // namespace espalier
