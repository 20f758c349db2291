// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "espalier/error.hpp"
#include "ordering/estimates.hpp"
#include "ordering/graphs.hpp"
#include "ordering/methods.hpp"
#include "support/expect_error.hpp"

namespace espalier {
namespace {

constexpr Index very_many = 1'000'000;

OrderingRequest request_for(Index factorizations) {
  OrderingRequest request;
  request.factorizations = factorizations;
  request.predict = counted_cost;
  return request;
}

TEST(AutomaticOrdering, IsAmdWithoutPredictionWhereDissectionCannotPay) {
  OrderingRequest request = request_for(1);
  request.predict = [](const AdjacencyGraph&, const Permutation&) -> OrderingCost {
    ADD_FAILURE() << "a prediction costs time that is not needed here";
    return {};
  };
  const AdjacencyGraph graph = grid_graph(30);

  const Ordering ordering = automatic_ordering(graph, request);

  EXPECT_EQ(ordering.method, "amd");
  EXPECT_EQ(ordering.permutation.old_of, amd_ordering(graph, compress(graph)).permutation.old_of);
}

TEST(AutomaticOrdering, IsTheBetterOneWhereManyFactorizationsFollow) {
  for (const AdjacencyGraph& graph : {space_grid_graph(11), multiplied(space_grid_graph(6), 3)}) {
    const CompressedGraph compressed = compress(graph);
    const double amd =
        factor_seconds(counted_cost(graph, amd_ordering(graph, compressed).permutation));
    const double metis = factor_seconds(counted_cost(graph, metis_ordering(compressed)));

    const Ordering ordering = automatic_ordering(graph, request_for(very_many));

    EXPECT_EQ(ordering.method, metis < amd ? "metis" : "amd");
    EXPECT_EQ(factor_seconds(counted_cost(graph, ordering.permutation)), std::min(metis, amd));
  }
}

TEST(AutomaticOrdering, DissectsSpaceGridsForManyFactorizations) {
  EXPECT_EQ(automatic_ordering(space_grid_graph(11), request_for(very_many)).method, "metis");
}

TEST(AutomaticOrdering, KeepsAmdWhereDissectionTurnsOutWorse) {
  const AdjacencyGraph graph = space_grid_graph(11);
  const Permutation amd = amd_ordering(graph, compress(graph)).permutation;
  int predictions = 0;
  OrderingRequest request = request_for(very_many);
  request.predict = [&](const AdjacencyGraph&, const Permutation& permutation) -> OrderingCost {
    ++predictions;
    return {permutation.old_of == amd.old_of ? 1.0 : 2.0, 1};
  };

  const Ordering ordering = automatic_ordering(graph, request);

  EXPECT_EQ(predictions, 2);
  EXPECT_EQ(ordering.method, "amd");
  EXPECT_EQ(ordering.permutation.old_of, amd.old_of);
}

TEST(AutomaticOrdering, PredictsOnTheCompressedGraphWhereThatIsMuchSmaller) {
  OrderingRequest request = request_for(very_many);
  std::vector<Index> sizes;
  request.predict = [&](const AdjacencyGraph& graph, const Permutation& permutation) {
    EXPECT_EQ(permutation.size(), graph.n);
    sizes.push_back(graph.n);
    return counted_cost(graph, permutation);
  };

  automatic_ordering(multiplied(space_grid_graph(8), 3), request);

  EXPECT_EQ(sizes, (std::vector<Index>{512, 512}));
}

TEST(AutomaticOrdering, WeighsWorkers) {
  OrderingRequest request = request_for(very_many);
  request.workers = std::numeric_limits<Index>::max();

  EXPECT_EQ(automatic_ordering(space_grid_graph(11), request).method, "amd");
}

TEST(AutomaticOrdering, RefusesAnIncompleteRequest) {
  const AdjacencyGraph graph = path_graph(4);
  support::expect_error<UsageError>([&] { automatic_ordering(graph, OrderingRequest()); },
                                    {"auto", "predicts"});
  support::expect_error<UsageError>([&] { automatic_ordering(graph, request_for(0)); },
                                    {"at least one", "0 and 1"});
  OrderingRequest no_worker = request_for(2);
  no_worker.workers = 0;
  support::expect_error<UsageError>([&] { automatic_ordering(graph, no_worker); }, {"2 and 0"});
}

}  // namespace
}  // namespace espalier
