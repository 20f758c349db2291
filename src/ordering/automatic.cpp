// SPDX-License-Identifier: BSD-3-Clause
#include <optional>
#include <string>
#include <utility>

#include "espalier/error.hpp"
#include "ordering/bisected_minimum_degree.hpp"
#include "ordering/dissection.hpp"
#include "ordering/estimates.hpp"
#include "ordering/methods.hpp"

namespace espalier {

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

/// AMD's estimate is close to what column counts say, but where weights differ: so it decides only
/// where the difference is clear.
bool is_better(const Permutation& dissection, const MinimumDegree& amd,
               const CompressedGraph& graph, const OrderingRequest& request) {
  const double seconds = factor_seconds(request.predict(graph, dissection));
  return seconds < 0.5 * factor_seconds(amd.estimate) ||
         seconds < factor_seconds(request.predict(graph, amd.permutation));
}

}  // namespace

Ordering automatic_ordering(const CompressedGraph& graph, const OrderingRequest& request) {
  require_complete(request);
  if (!dissection_accepts(static_cast<Count>(graph.graph.neighbour.size()))) {
    return {amd_ordering(graph).permutation, "amd"};
  }
  MinimumDegree amd;
  std::optional<Permutation> dissection;
  if (auto bisected = bisected_minimum_degree(graph, request)) {
    amd = std::move(*bisected);
    if (should_dissect(graph.graph, amd.estimate, request)) {
      dissection = dissection_ordering(graph, request.workers);
    }
  } else {
    dissection = dissection_ordering_if(graph, request.workers, [&] {
      amd = amd_ordering(graph);
      return should_dissect(graph.graph, amd.estimate, request);
    });
  }
  if (dissection && is_better(*dissection, amd, graph, request)) {
    return {std::move(*dissection), "dissection"};
  }
  return {std::move(amd.permutation), "amd"};
}

}  // namespace espalier
