// SPDX-License-Identifier: BSD-3-Clause
#include "solver/counted_ordering.hpp"

#include <utility>
#include <vector>

namespace espalier {

CountedOrdering counted_ordering(const CompressedGraph& graph, const AnalysisOptions& options,
                                 Index workers) {
  std::optional<CountedOrder> counted;
  std::vector<Index> counted_for;
  OrderingRequest request;
  request.method = options.ordering;
  request.factorizations = options.factorizations;
  request.workers = workers;
  request.predict = [&](const CompressedGraph& compressed, const Permutation& permutation) {
    counted.reset();  // before there is another one: they are as large as the graph
    counted = counted_order(compressed, permutation, workers);
    counted_for = permutation.old_of;
    return factorization_cost(*counted);
  };
  Ordering ordering = order(graph, request);
  if (counted_for != ordering.permutation.old_of) counted.reset();
  return {std::move(ordering), std::move(counted)};
}

}  // namespace espalier
