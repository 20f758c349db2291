// SPDX-License-Identifier: BSD-3-Clause

#include "ordering/automatic.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "espalier/error.hpp"
#include "ordering/compression.hpp"
#include "ordering/graphs.hpp"
#include "ordering/methods.hpp"
#include "support/expect.hpp"
#include "symbolic/column_counts.hpp"

namespace espalier::internal {
namespace {

/// A graph, the cost of its ordering by AMD, and whether nested dissection saved time in
/// measurements, for a number of factorizations and workers.
struct Case {
  const char* name;
  Index vertices;
  Count neighbours;
  OrderingCost minimum_degree;
  Index factorizations, workers;
  bool pays;
};

const Case cases[] = {
    {"7-point grid 30^3, once", 27000, 156600, {5.05e9, 5.61e6}, 1, 1, true},
    {"7-point grid 30^3, once, 2 workers", 27000, 156600, {5.05e9, 5.61e6}, 1, 2, true},
    {"7-point grid 30^3, once, 64 workers", 27000, 156600, {5.05e9, 5.61e6}, 1, 64, false},
    {"7-point grid 50^3, once, 2 workers", 125000, 735000, {1.76e11, 6.16e7}, 1, 2, true},
    {"5-point grid 500^2, once", 250000, 998000, {2.08e9, 9.22e6}, 1, 1, false},
    {"5-point grid 500^2, a hundred times", 250000, 998000, {2.08e9, 9.22e6}, 100, 1, true},
    {"elasticity 20^3, once", 8820, 206998, {4.18e10, 2.23e7}, 1, 1, true},
    {"elasticity 20^3, once, 8 workers", 8820, 206998, {4.18e10, 2.23e7}, 1, 8, true},
    {"elasticity 8^3, once", 648, 13102, {7.61e7, 3.23e5}, 1, 1, false},
    {"27-point grid 36^3, once", 46656, 1144360, {4.62e10, 2.66e7}, 1, 1, true},
    {"irregular in the plane, ten times", 283060, 1903614, {5.61e8, 5.48e6}, 10, 1, false},
    {"linear programme maros-r7, ten times", 3136, 660944, {5.33e8, 1.22e6}, 10, 1, false},
    {"power grid pegase, a hundred times", 13594, 36602, {2.66e5, 4.54e4}, 100, 1, false},
    {"nothing to factor", 1, 0, {0, 0}, 1000, 1, false},
};

TEST(DissectionPays, WhereItWasMeasuredTo) {
  for (const Case& c : cases) {
    const double seconds = dissection_seconds(c.vertices, c.neighbours, c.workers);
    EXPECT_EQ(dissection_pays(c.minimum_degree, seconds, c.factorizations, c.workers), c.pays)
        << c.name;
  }
}

TEST(DissectionPays, MoreWithFactorizationsLessWithWorkers) {
  const OrderingCost cost{1e10, 1e7};
  const double even = expected_saving(cost) * factor_seconds(cost);

  EXPECT_FALSE(dissection_pays(cost, 1.01 * even, 1, 1));
  EXPECT_TRUE(dissection_pays(cost, 0.99 * even, 1, 1));
  EXPECT_TRUE(dissection_pays(cost, 9.9 * even, 10, 1));
  EXPECT_FALSE(dissection_pays(cost, 9.9 * even, 10, 2));
}

TEST(DissectionIsRequired, OnThreeWorkersIfAmdMayNeedFarMoreFlops) {
  const OrderingCost space_grid{5.05e9, 5.61e6};
  EXPECT_FALSE(dissection_is_required(space_grid, 1));
  EXPECT_FALSE(dissection_is_required(space_grid, 2));
  EXPECT_TRUE(dissection_is_required(space_grid, 3));
  EXPECT_FALSE(dissection_is_required({4.0e8, 2.5e6}, 16)) << "5-point grid 300^2, a small problem";
  EXPECT_FALSE(dissection_is_required({3e9, 3e7}, 64)) << "irregular in the plane";
  EXPECT_FALSE(dissection_is_required({0, 0}, 64));
}

TEST(IsCheaper, IfFasterWithinTheAcceptedExcess) {
  EXPECT_TRUE(is_cheaper({1e9, 1e6}, {1.1e9, 1e6}));
  EXPECT_TRUE(is_cheaper({1.2e9, 1e7}, {1e9, 1.2e7}));
  EXPECT_FALSE(is_cheaper({1e9, 1e6}, {1e9, 1e6}));
}

TEST(IsCheaper, IfOnlyTheOtherExceeds) {
  // The left ordering is faster by its entries, but has 1.4 times the flops.
  EXPECT_FALSE(is_cheaper({1.4e8, 1e7}, {1e8, 1.2e7}));
  EXPECT_TRUE(is_cheaper({1e8, 1.2e7}, {1.4e8, 1e7}));
  EXPECT_TRUE(is_cheaper({1.4e8, 1e7}, {1e8, 2e7})) << "both exceed";
}

TEST(FactorSeconds, FollowTheMeasuredRates) {
  // Gflop/s of one core at flops / entries of 88, 180, 900 and 1800.
  const auto rate = [](double intensity) {
    return 1e-9 * intensity / factor_seconds({intensity, 1});
  };
  EXPECT_NEAR(rate(88), 12, 2);
  EXPECT_NEAR(rate(180), 19, 2);
  EXPECT_NEAR(rate(900), 38, 3);
  EXPECT_NEAR(rate(1800), 43, 3);
  EXPECT_EQ(factor_seconds({0, 0}), 0);
}

TEST(DissectionSeconds, AreWithinTwiceTheMeasuredOnes) {
  const auto expect_near = [](Index vertices, Count neighbours, double measured) {
    const double ratio = dissection_seconds(vertices, neighbours, 1) / measured;
    EXPECT_GT(ratio, 0.5) << vertices;
    EXPECT_LT(ratio, 2) << vertices;
  };
  expect_near(27000, 156600, 0.050);
  expect_near(125000, 735000, 0.28);
  expect_near(250000, 998000, 0.26);
  expect_near(8820, 206998, 0.015);
  expect_near(46656, 1144360, 0.098);
  expect_near(24085, 543248, 0.125);
  expect_near(55476, 704476, 0.23);
  EXPECT_GE(dissection_seconds(0, 0, 1), 0);
}

TEST(DissectionSeconds, FallWithWorkersDownToTheCriticalPath) {
  const double alone = dissection_seconds(27000, 156600, 1);

  EXPECT_LT(dissection_seconds(27000, 156600, 2), 0.61 * alone);
  EXPECT_NEAR(dissection_seconds(27000, 156600, 100000), 0.2 * alone, 0.01 * alone);
  EXPECT_NEAR(dissection_seconds(100, 600, 64), dissection_seconds(100, 600, 1), 1e-9);
}

TEST(DissectionIsFaster, OnManyWorkersForLargeGraphs) {
  const auto faster = [](Index vertices, Count neighbours, std::vector<Index> workers) {
    std::vector<bool> result;
    for (const Index w : workers) result.push_back(dissection_is_faster(vertices, neighbours, w));
    return result;
  };
  // laplace3d:20, laplace3d:30, laplace3d:50, stencil27:40, laplace2d:1000
  EXPECT_EQ(faster(8000, 45600, {1, 2, 64}), (std::vector<bool>{false, false, false}));
  EXPECT_EQ(faster(27000, 156600, {1, 2, 64}), (std::vector<bool>{false, false, true}));
  EXPECT_EQ(faster(125000, 735000, {1, 2, 16, 64}), (std::vector<bool>{false, false, true, true}));
  EXPECT_EQ(faster(64000, 1579032, {1, 2, 16, 64}), (std::vector<bool>{false, false, true, true}));
  EXPECT_EQ(faster(1000000, 3996000, {1, 2, 16}), (std::vector<bool>{false, false, true}));
  EXPECT_EQ(faster(1, 0, {1, 64}), (std::vector<bool>{false, false}));
}

TEST(MinimumDegreeMayPay, ForManyFactorizationsWithFewFlopsPerEntry) {
  // qp_cont200 and laplace3d:50 on 64 workers.
  EXPECT_FALSE(minimum_degree_may_pay({9.42e8, 3.81e6}, 477564, 1, 64));
  EXPECT_TRUE(minimum_degree_may_pay({9.42e8, 3.81e6}, 477564, 1000, 64));
  EXPECT_FALSE(minimum_degree_may_pay({4.23e10, 3.06e7}, 735000, 1, 64));
  EXPECT_FALSE(minimum_degree_may_pay({0, 0}, 1, 1, 64));
}

TEST(ExpectedSaving, GrowsFromNothingToAtMostFourFifths) {
  double last = 0;
  EXPECT_EQ(expected_saving({0, 0}), 0);
  for (const double intensity : {1.0, 60.0, 225.0, 900.0, 1800.0, 6000.0, 1e9}) {
    const double saving = expected_saving({intensity, 1});
    EXPECT_GT(saving, last);
    EXPECT_LE(saving, 0.8);
    last = saving;
  }
  EXPECT_LT(expected_saving({60, 1}), 0.1);
  EXPECT_NEAR(expected_saving({900, 1}), 0.45, 0.1);
}

TEST(BisectionPays, WhereTheSeparatorIsThatOfAMeshInThePlane) {
  // Neighbours and separators of irregular2d:300000, laplace2d:1000 and laplace3d:80.
  EXPECT_TRUE(bisection_pays(1'890'000, 500, 1));
  EXPECT_FALSE(bisection_pays(3'996'000, 980, 1));
  EXPECT_FALSE(bisection_pays(3'030'000, 6400, 1));
}

TEST(BisectionPays, ForFewFactorizations) { EXPECT_FALSE(bisection_pays(1'890'000, 500, 10)); }

TEST(DissectionImbalance, IsLooserForFewNeighbours) {
  EXPECT_EQ(dissection_imbalance(125000, 735000), 400);
  EXPECT_EQ(dissection_imbalance(1000, 9999), 400);
  EXPECT_EQ(dissection_imbalance(1000, 10000), 200);
  EXPECT_EQ(dissection_imbalance(8820, 206998), 200);
}

TEST(ExpandedCost, IsCloseToTheCostOfTheExpandedGraph) {
  const AdjacencyGraph graph = multiplied(grid_graph(12), 3);
  const CompressedGraph compressed = compress(graph);
  const Permutation order = minimum_degree(compressed.graph);
  const OrderingCost exact = counted_cost(compressed, order);

  const OrderingCost estimate =
      expanded_cost(counted_cost(compressed.graph, order), compressed.mean_weight());

  EXPECT_NEAR(estimate.entries / exact.entries, 1, 0.1);
  EXPECT_NEAR(estimate.flops / exact.flops, 1, 0.2);
}

}  // namespace
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
    ADD_FAILURE() << "a prediction is not needed, and takes time";
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
    const double dissection = seconds(dissection_ordering(compressed, 1).permutation);

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

  EXPECT_EQ(automatic_ordering(compress(space_grid_graph(8)), request).method, "amd");
}

TEST(AutomaticOrdering, StartsWithDissectionOnManyWorkers) {
  const CompressedGraph graph = compress(space_grid_graph(30));
  const Permutation dissection = dissection_ordering(graph, 1).permutation;
  for (const double amd_flops : {0.5, 2.0}) {
    for (const Index factorizations : {Index{1}, very_many}) {
      int predictions = 0;
      OrderingRequest request = request_for(factorizations);
      request.workers = 64;
      request.predict = [&](const CompressedGraph&, const Permutation& permutation) {
        ++predictions;
        const bool dissected = permutation.old_of == dissection.old_of;
        return OrderingCost{1e9 * (dissected ? 1 : amd_flops), 1e6 * (dissected ? 1 : amd_flops)};
      };

      const Ordering ordering = automatic_ordering(graph, request);

      const bool asks_for_amd = factorizations > 1;
      EXPECT_EQ(predictions, asks_for_amd ? 2 : 1);
      EXPECT_EQ(ordering.method, asks_for_amd && amd_flops < 1 ? "amd" : "dissection");
    }
  }
}

TEST(AutomaticOrdering, HasFewFlopsForEveryNumberOfWorkersAboveTwo) {
  const CompressedGraph graph = compress(space_grid_graph(28));
  OrderingRequest request = request_for(1);
  request.predict = [](const CompressedGraph& compressed, const Permutation& permutation) {
    return factorization_cost(counted_order(compressed, permutation));
  };
  const auto flops = [&](const Permutation& order) { return request.predict(graph, order).flops; };
  const double best = flops(dissection_ordering(graph, 1).permutation);
  for (const Index workers : {3, 16, 64, 128}) {
    request.workers = workers;
    EXPECT_LE(flops(automatic_ordering(graph, request).permutation), 1.3 * best) << workers;
  }
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
}  // namespace espalier::internal
