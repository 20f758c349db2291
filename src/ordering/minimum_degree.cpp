// SPDX-License-Identifier: BSD-3-Clause

#include <amd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "ordering/automatic.hpp"
#include "ordering/dissection/halo_minimum_degree.hpp"
#include "ordering/dissection/separator_refinement.hpp"
#include "ordering/locality.hpp"
#include "ordering/methods.hpp"

namespace espalier::internal {

double dense_degree_factor(Index n, Count neighbours) {
  constexpr double times_mean = 10;
  constexpr double largest = 10;  // AMD's default
  const double mean = static_cast<double>(neighbours) / n;
  return std::clamp(times_mean * mean / std::sqrt(n), 1.0, largest);
}

namespace {

struct EstimatedOrder {
  std::vector<Index> order;
  OrderingCost estimate;
};

/// Returns the cost from AMD's counts. AMD counts the entries of L below the diagonal, and the
/// multiplications of an LU factorization. The number of multiplications is the sum of the squared
/// numbers of these entries per column.
OrderingCost estimate_of(const std::array<double, AMD_INFO>& info, Index n) {
  return {info[AMD_NMULTSUBS_LU] + 2 * info[AMD_LNZ] + n, info[AMD_LNZ] + n};
}

/// Runs the entry point of AMD that uses and destroys a symmetric graph. amd_order() would first
/// rebuild it as A + A^T.
template <typename Integer, typename Method>
EstimatedOrder eliminate(const AdjacencyGraph& graph, Integer capacity, Method method) {
  std::vector<Integer> begin(graph.begin.begin(), graph.begin.end() - 1);
  std::vector<Integer> degree(graph.n);
  for (Index v = 0; v < graph.n; ++v) {
    degree[v] = static_cast<Integer>(graph.of(v).size());
  }
  std::vector<Integer> lists(capacity);
  std::copy(graph.neighbour.begin(), graph.neighbour.end(), lists.begin());
  std::array<std::vector<Integer>, 7> work;
  for (auto& array : work) {
    array.resize(graph.n);
  }
  auto& [sizes, next, order, head, elements, degrees, marks] = work;
  std::array<double, AMD_INFO> info{};
  std::array<double, AMD_CONTROL> control{};
  amd_defaults(control.data());
  control[AMD_DENSE] = dense_degree_factor(graph.n, static_cast<Count>(graph.neighbour.size()));
  method(graph.n, begin.data(), lists.data(), degree.data(), capacity,
         static_cast<Integer>(graph.neighbour.size()), sizes.data(), next.data(), order.data(),
         head.data(), elements.data(), degrees.data(), marks.data(), control.data(), info.data());
  return {{order.begin(), order.end()}, estimate_of(info, graph.n)};
}

EstimatedOrder minimum_degree(const AdjacencyGraph& graph) {
  if (graph.n == 0) {
    return {};
  }
  // A fifth of spare space keeps garbage collections rare, as AMD recommends.
  const Count neighbours = static_cast<Count>(graph.neighbour.size());
  const Count capacity = neighbours + neighbours / 5 + graph.n;
  if (capacity <= std::numeric_limits<int>::max()) {
    return eliminate(graph, static_cast<int>(capacity), amd_2);
  }
  return eliminate(graph, static_cast<SuiteSparse_long>(capacity), amd_l2);
}

/// Returns whether the compressed graph is so small that AMD should order it, although AMD ignores
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

namespace {

/// Minimum number of neighbours for a bisection. Smaller graphs stay in the cache, and AMD is fast.
constexpr Count large = 1'500'000;

/// The separator must be small, but the sides must be even, because each one keeps a thread busy.
constexpr SeparationCost even_sides{0.52};

/// Returns a separation with half of the weight in side 0. Side 0 grows from the last vertex, which
/// is far from the middle if the graph is numbered breadth first or by rows.
Separation front_of_search(const CompressedGraph& compressed, const WeightedGraph& graph) {
  const Index last = graph.n() - 1;
  Separation result{std::vector<std::uint8_t>(graph.weight.size(), 1), {0, graph.total_weight, 0}};
  const auto shift = [&](Index v, std::uint8_t from, std::uint8_t to) {
    result.part[v] = to;
    result.weight[from] -= graph.weight[v];
    result.weight[to] += graph.weight[v];
  };
  for (const Index v : breadth_first_order(compressed.graph, last)) {
    if (result.weight[0] >= result.weight[1]) break;
    shift(v, 1, 0);
  }
  for (Index v = 0; v < graph.n(); ++v) {
    const auto neighbours = graph.of(v);
    const bool at_front =
        result.part[v] == 1 && std::any_of(neighbours.begin(), neighbours.end(),
                                           [&](Index u) { return result.part[u] == 0; });
    if (at_front) shift(v, 1, Separation::separator);
  }
  return result;
}

Separation bisection(const CompressedGraph& compressed) {
  const WeightedGraph graph = weighted_graph(compressed);
  Separation separation = front_of_search(compressed, graph);
  SeparatorRefinement(even_sides).refine(graph, separation);
  return separation;
}

MinimumDegree ordered_by_parts(const CompressedGraph& compressed, const Separation& separation,
                               Index threads) {
  std::array<std::vector<Index>, 3> vertices;
  for (Index v = 0; v < compressed.graph.n; ++v) vertices[separation.part[v]].push_back(v);
  std::array<OrderingCost, 2> estimate;
  parallel_for(2, threads, [&](Index side) {
    estimate[side] = HaloMinimumDegree(compressed.graph).order(vertices[side]);
  });
  std::vector<Index> order = std::move(vertices[0]);
  for (const int part : {1, 2}) {
    order.insert(order.end(), vertices[part].begin(), vertices[part].end());
  }
  const OrderingCost sum{estimate[0].flops + estimate[1].flops,
                         estimate[0].entries + estimate[1].entries};
  return {Permutation::from_old_of(std::move(order)), expanded_cost(sum, compressed.mean_weight())};
}

}  // namespace

std::optional<MinimumDegree> bisected_minimum_degree(const CompressedGraph& graph,
                                                     const OrderingRequest& request) {
  const auto neighbours = static_cast<Count>(graph.graph.neighbour.size());
  if (neighbours < large) return std::nullopt;
  const Separation separation = bisection(graph);
  const Index separator = separation.weight[Separation::separator];
  if (!bisection_pays(neighbours, separator, request.factorizations)) return std::nullopt;
  return ordered_by_parts(graph, separation, request.workers);
}

}  // namespace espalier::internal
