// SPDX-License-Identifier: BSD-3-Clause
#include <amd.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "ordering/estimates.hpp"
#include "ordering/methods.hpp"

namespace espalier {

namespace {

struct EstimatedOrder {
  std::vector<Index> order;
  OrderingCost estimate;
};

/// AMD counts the entries of L below the diagonal and the multiplications of an LU factorization,
/// that is the sum of their squares by column.
OrderingCost estimate_of(const std::array<double, AMD_INFO>& info, Index n) {
  return {info[AMD_NMULTSUBS_LU] + 2 * info[AMD_LNZ] + n, info[AMD_LNZ] + n};
}

/// Calls the entry that takes a symmetric graph as it is, and destroys it; amd_order would first
/// rebuild it as A + A^T.
template <typename Integer, typename Method>
EstimatedOrder eliminate(const AdjacencyGraph& graph, Integer room, Method method) {
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
  std::array<double, AMD_INFO> info{};
  method(graph.n, begin.data(), lists.data(), degree.data(), room,
         static_cast<Integer>(graph.neighbour.size()), sizes.data(), next.data(), order.data(),
         head.data(), elements.data(), degrees.data(), marks.data(), nullptr, info.data());
  return {{order.begin(), order.end()}, estimate_of(info, graph.n)};
}

EstimatedOrder minimum_degree(const AdjacencyGraph& graph) {
  if (graph.n == 0) {
    return {};
  }
  // A fifth of spare room keeps garbage collections rare (AMD's own choice).
  const Count neighbours = static_cast<Count>(graph.neighbour.size());
  const Count room = neighbours + neighbours / 5 + graph.n;
  if (room <= std::numeric_limits<int>::max()) {
    return eliminate(graph, static_cast<int>(room), amd_2);
  }
  return eliminate(graph, static_cast<SuiteSparse_long>(room), amd_l2);
}

/// Whether a compression makes so much smaller that AMD should run on it, though it sees no
/// weights.
bool merges_enough(const CompressedGraph& compressed) { return compressed.mean_weight() >= 2; }

}  // namespace

MinimumDegree amd_ordering(const CompressedGraph& compressed) {
  if (merges_enough(compressed) || compressed.mean_weight() == 1) {
    auto [order, estimate] = minimum_degree(compressed.graph);
    return {Permutation::from_old_of(std::move(order)),
            expanded_cost(estimate, compressed.mean_weight())};
  }
  auto [order, estimate] = minimum_degree(expanded(compressed));
  for (Index& k : order) k = compressed.member[k];
  return {contract(compressed, Permutation::from_old_of(std::move(order))), estimate};
}

}  // namespace espalier
