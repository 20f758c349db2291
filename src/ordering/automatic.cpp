// SPDX-License-Identifier: BSD-3-Clause

#include "ordering/automatic.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "espalier/error.hpp"
#include "ordering/methods.hpp"

namespace espalier::internal {

double factor_seconds(const OrderingCost& cost) { return cost.flops / 50e9 + cost.entries * 6e-9; }

double dissection_seconds(Index vertices, Count neighbours, Index workers) {
  // Work of one level of the recursion, times the number of levels, relative to 2^15 vertices.
  const double level = 0.8e-6 * vertices + 0.12e-6 * static_cast<double>(neighbours);
  const double work = level * std::log2(std::max<double>(vertices, 2)) / 15;
  const double critical = std::min(1.0, 6 / std::cbrt(std::max<double>(vertices, 1)));
  return work * (critical + (1 - critical) / workers);
}

double expected_saving(const OrderingCost& minimum_degree) {
  if (minimum_degree.entries <= 0) {
    return 0;
  }
  const double intensity = minimum_degree.flops / minimum_degree.entries;
  return 0.8 * intensity / (intensity + 600);
}

bool dissection_pays(const OrderingCost& minimum_degree, double dissection_seconds,
                     Index factorizations, Index workers) {
  const double factor = factor_seconds(minimum_degree) * factorizations / workers;
  return expected_saving(minimum_degree) * factor > dissection_seconds;
}

namespace {

constexpr double accepted_excess = 1.3;

bool exceeds(const OrderingCost& left, const OrderingCost& right) {
  return left.flops > accepted_excess * right.flops ||
         left.entries > accepted_excess * right.entries;
}

}  // namespace

bool dissection_is_required(const OrderingCost& minimum_degree, Index workers) {
  // Minimum flops, and flops per entry of L, with AMD (experiment `excess` in
  // docs/experiments.md). Above both, AMD needed more than 1.3 times the flops on most meshes.
  constexpr double least_flops = 2e9;
  constexpr double least_intensity = 120;
  return workers > 2 && minimum_degree.flops > least_flops &&
         minimum_degree.flops > least_intensity * minimum_degree.entries;
}

bool is_cheaper(const OrderingCost& left, const OrderingCost& right) {
  const bool left_exceeds = exceeds(left, right);
  if (left_exceeds != exceeds(right, left)) return !left_exceeds;
  return factor_seconds(left) < factor_seconds(right);
}

double minimum_degree_seconds(Count neighbours) {
  // A neighbour takes 0.04 us in the cache, and up to 0.1 us in graphs of several millions.
  return 0.06e-6 * static_cast<double>(neighbours);
}

bool dissection_is_faster(Index vertices, Count neighbours, Index workers) {
  // Two threads cannot make up for the work of dissection, which is several times that of AMD.
  return workers > 2 &&
         dissection_seconds(vertices, neighbours, workers) < minimum_degree_seconds(neighbours);
}

bool minimum_degree_may_pay(const OrderingCost& dissection, Count neighbours, Index factorizations,
                            Index workers) {
  const double intensity = dissection.flops / std::max(dissection.entries, 1.0);
  const double saving = 0.05 + 0.25 * 600 / (intensity + 600);
  const double factor = factor_seconds(dissection) * factorizations / workers;
  return saving * factor > minimum_degree_seconds(neighbours);
}

bool bisection_pays(Count neighbours, Index separator_columns, Index factorizations) {
  // Two halves in parallel save half of AMD's time, and the bisection takes a tenth of it. A
  // separator of s columns adds 5 s^3 flops and 2.5 s^2 entries to L on grids, and less on
  // irregular meshes.
  const double s = separator_columns;
  return 0.4 * minimum_degree_seconds(neighbours) >
         factorizations * factor_seconds({5 * s * s * s, 2.5 * s * s});
}

Index dissection_imbalance(Index vertices, Count neighbours) {
  return neighbours < 10 * Count{vertices} ? 400 : 200;
}

OrderingCost expanded_cost(const OrderingCost& compressed, double mean_weight) {
  return {compressed.flops * mean_weight * mean_weight * mean_weight,
          compressed.entries * mean_weight * mean_weight};
}

namespace {

void require_complete(const OrderingRequest& request) {
  if (!request.predict) {
    throw UsageError("the ordering auto needs a function that predicts the cost of an ordering");
  }
  if (request.factorizations < 1 || request.workers < 1) {
    throw UsageError("the ordering auto needs at least one factorization and one worker, not " +
                     std::to_string(request.factorizations) + " and " +
                     std::to_string(request.workers));
  }
}

bool should_dissect(const AdjacencyGraph& graph, const OrderingCost& minimum_degree,
                    const OrderingRequest& request) {
  const auto neighbours = static_cast<Count>(graph.neighbour.size());
  return dissection_pays(minimum_degree, dissection_seconds(graph.n, neighbours, request.workers),
                         request.factorizations, request.workers);
}

/// Returns whether the dissection has the cheaper factorization. AMD's estimate is close
/// to the exact cost unless weights differ. Therefore the estimate decides only if the dissection
/// takes less than half of the estimated time.
bool is_better(const Permutation& dissection, const MinimumDegree& amd,
               const CompressedGraph& graph, const OrderingRequest& request) {
  const OrderingCost cost = request.predict(graph, dissection);
  return factor_seconds(cost) < 0.5 * factor_seconds(amd.estimate) ||
         is_cheaper(cost, request.predict(graph, amd.permutation));
}

Ordering dissected(DissectedOrder order) {
  return {std::move(order.permutation), "dissection", std::move(order.part)};
}

/// Returns a dissection, or AMD's ordering if it may pay and has the cheaper factorization.
Ordering dissection_first(const CompressedGraph& graph, const OrderingRequest& request) {
  DissectedOrder dissection = dissection_ordering(graph, request.workers);
  const OrderingCost cost = request.predict(graph, dissection.permutation);
  const auto neighbours = static_cast<Count>(graph.graph.neighbour.size());
  if (minimum_degree_may_pay(cost, neighbours, request.factorizations, request.workers)) {
    MinimumDegree amd = amd_ordering(graph);
    if (is_cheaper(request.predict(graph, amd.permutation), cost)) {
      return {std::move(amd.permutation), "amd"};
    }
  }
  return dissected(std::move(dissection));
}

/// Returns AMD's ordering, or a dissection if it is required or expected to pay and turns out to be
/// better.
Ordering minimum_degree_first(const CompressedGraph& graph, const OrderingRequest& request) {
  MinimumDegree amd;
  std::optional<DissectedOrder> dissection;
  if (auto bisected = bisected_minimum_degree(graph, request)) {
    amd = std::move(*bisected);
    if (should_dissect(graph.graph, amd.estimate, request)) {
      dissection = dissection_ordering(graph, request.workers);
    }
  } else {
    dissection = dissection_ordering_if(graph, request.workers, [&] {
      amd = amd_ordering(graph);
      return dissection_is_required(amd.estimate, request.workers) ||
             should_dissect(graph.graph, amd.estimate, request);
    });
  }
  if (dissection && is_better(dissection->permutation, amd, graph, request)) {
    return dissected(std::move(*dissection));
  }
  return {std::move(amd.permutation), "amd"};
}

}  // namespace

Ordering automatic_ordering(const CompressedGraph& graph, const OrderingRequest& request) {
  require_complete(request);
  const auto neighbours = static_cast<Count>(graph.graph.neighbour.size());
  if (!dissection_accepts(neighbours)) return {amd_ordering(graph).permutation, "amd"};
  return dissection_is_faster(graph.graph.n, neighbours, request.workers)
             ? dissection_first(graph, request)
             : minimum_degree_first(graph, request);
}

}  // namespace espalier::internal
