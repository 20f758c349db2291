// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "espalier/error.hpp"
#include "ordering/bisected_minimum_degree.hpp"
#include "ordering/dissection.hpp"
#include "ordering/estimates.hpp"
#include "ordering/graphs.hpp"
#include "ordering/methods.hpp"
#include "support/expect_error.hpp"
#include "symbolic/column_counts.hpp"

namespace espalier {
namespace {

constexpr Index very_many = 1'000'000;

OrderingRequest request_for(Index factorizations) {
  OrderingRequest request;
  request.factorizations = factorizations;
  request.predict = [](const CompressedGraph& graph, const Permutation& permutation) {
    return counted_cost(graph, permutation);
  };
  return request;
}

TEST(AutomaticOrdering, IsAmdWithoutPredictionWhereDissectionCannotPay) {
  OrderingRequest request = request_for(1);
  request.predict = [](const CompressedGraph&, const Permutation&) -> OrderingCost {
    ADD_FAILURE() << "a prediction costs time that is not needed here";
    return {};
  };
  const CompressedGraph graph = compress(grid_graph(30));

  const Ordering ordering = automatic_ordering(graph, request);

  EXPECT_EQ(ordering.method, "amd");
  EXPECT_EQ(ordering.permutation.old_of, amd_ordering(graph).permutation.old_of);
}

TEST(AutomaticOrdering, IsTheBetterOneWhereManyFactorizationsFollow) {
  for (const AdjacencyGraph& graph : {space_grid_graph(11), multiplied(space_grid_graph(6), 3)}) {
    const CompressedGraph compressed = compress(graph);
    const auto seconds = [&](const Permutation& permutation) {
      return factor_seconds(counted_cost(compressed, permutation));
    };
    const double amd = seconds(amd_ordering(compressed).permutation);
    const double dissection = seconds(dissection_ordering(compressed, 1));

    const Ordering ordering = automatic_ordering(compressed, request_for(very_many));

    EXPECT_EQ(ordering.method, dissection < amd ? "dissection" : "amd");
    EXPECT_EQ(seconds(ordering.permutation), std::min(dissection, amd));
  }
}

TEST(AutomaticOrdering, DissectsSpaceGridsForManyFactorizations) {
  const CompressedGraph graph = compress(space_grid_graph(11));

  EXPECT_EQ(automatic_ordering(graph, request_for(very_many)).method, "dissection");
}

TEST(AutomaticOrdering, IsTheSameForOneWorkerAndMore) {
  const CompressedGraph graph = compress(space_grid_graph(20));
  OrderingRequest request = request_for(very_many);
  request.predict = [](const CompressedGraph& compressed, const Permutation& permutation) {
    return factorization_cost(counted_order(compressed, permutation));
  };
  const Ordering alone = automatic_ordering(graph, request);
  EXPECT_EQ(alone.method, "dissection");
  for (const Index workers : {2, 3}) {
    request.workers = workers;
    EXPECT_EQ(automatic_ordering(graph, request).permutation.old_of, alone.permutation.old_of);
  }
}

TEST(AutomaticOrdering, KeepsAmdWhereDissectionTurnsOutWorse) {
  const CompressedGraph graph = compress(space_grid_graph(11));
  const Permutation amd = amd_ordering(graph).permutation;
  for (const Index workers : {1, 2}) {
    int predictions = 0;
    OrderingRequest request = request_for(very_many);
    request.workers = workers;
    request.predict = [&](const CompressedGraph&, const Permutation& permutation) -> OrderingCost {
      ++predictions;
      return {permutation.old_of == amd.old_of ? 1e20 : 2e20, 1};
    };

    const Ordering ordering = automatic_ordering(graph, request);

    EXPECT_EQ(predictions, 2);
    EXPECT_EQ(ordering.method, "amd");
    EXPECT_EQ(ordering.permutation.old_of, amd.old_of);
  }
}

TEST(AutomaticOrdering, PredictsNothingForAmdWhereDissectionIsMuchBetter) {
  int predictions = 0;
  OrderingRequest request = request_for(very_many);
  request.predict = [&](const CompressedGraph&, const Permutation&) -> OrderingCost {
    ++predictions;
    return {1, 1};
  };

  EXPECT_EQ(automatic_ordering(compress(space_grid_graph(11)), request).method, "dissection");
  EXPECT_EQ(predictions, 1);
}

TEST(AutomaticOrdering, HalvesALargeGraphForOneWorkerAndMore) {
  const CompressedGraph graph = uncompressed(grid_graph(620));
  const std::vector<Index> halves =
      bisected_minimum_degree(graph, request_for(1))->permutation.old_of;
  OrderingRequest request = request_for(1);
  for (const Index workers : {1, 2, 3}) {
    request.workers = workers;
    const Ordering ordering = automatic_ordering(graph, request);
    EXPECT_EQ(ordering.method, "amd");
    EXPECT_EQ(ordering.permutation.old_of, halves);
  }
}

TEST(AutomaticOrdering, WeighsWorkers) {
  OrderingRequest request = request_for(very_many);
  request.workers = std::numeric_limits<Index>::max();

  EXPECT_EQ(automatic_ordering(compress(space_grid_graph(11)), request).method, "amd");
}

TEST(AutomaticOrdering, RefusesAnIncompleteRequest) {
  const CompressedGraph graph = compress(path_graph(4));
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
