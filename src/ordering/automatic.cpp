// SPDX-License-Identifier: BSD-3-Clause
#include <utility>

#include "espalier/error.hpp"
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

bool should_dissect(const CompressedGraph& compressed, const OrderingCost& minimum_degree,
                    const OrderingRequest& request) {
  const Count neighbours = static_cast<Count>(compressed.graph.neighbour.size());
  return metis_accepts(neighbours) &&
         dissection_pays(minimum_degree, dissection_seconds(compressed.graph.n, neighbours),
                         request.factorizations, request.workers);
}

/// Counts on the compressed graph where that is much smaller, as if all its weights were the mean.
double predicted_seconds(const AdjacencyGraph& graph, const CompressedGraph& compressed,
                         const Permutation& permutation, const OrderingRequest& request) {
  if (!merges_enough(compressed)) {
    return factor_seconds(request.predict(graph, permutation));
  }
  const OrderingCost cost = request.predict(compressed.graph, contract(compressed, permutation));
  return factor_seconds(expanded_cost(cost, compressed.mean_weight()));
}

}  // namespace

Ordering automatic_ordering(const AdjacencyGraph& graph, const OrderingRequest& request) {
  require_complete(request);
  const CompressedGraph compressed = compress(graph);
  MinimumDegree amd = amd_ordering(graph, compressed);
  if (should_dissect(compressed, amd.estimate, request)) {
    Permutation dissection = metis_ordering(compressed);
    const auto seconds = [&](const Permutation& permutation) {
      return predicted_seconds(graph, compressed, permutation, request);
    };
    if (seconds(dissection) < seconds(amd.permutation)) {
      return {std::move(dissection), "metis"};
    }
  }
  return {std::move(amd.permutation), "amd"};
}

}  // namespace espalier
