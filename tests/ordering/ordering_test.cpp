// SPDX-License-Identifier: BSD-3-Clause
#include "ordering/ordering.hpp"

#include <gtest/gtest.h>

#include "espalier/error.hpp"
#include "ordering/concurrency.hpp"
#include "ordering/graphs.hpp"
#include "support/expect.hpp"
#include "support/temporary_folder.hpp"

namespace espalier::internal {
namespace {

OrderingRequest request_for(const std::string& method) {
  OrderingRequest request;
  request.method = method;
  request.factorizations = 1000;
  request.predict = [](const CompressedGraph& graph, const Permutation& permutation) {
    return counted_cost(graph, permutation);
  };
  return request;
}

/// Result of order() for the graph that the method requests.
struct MemberOrder {
  Permutation permutation;
  std::string method;
};

MemberOrder order(const AdjacencyGraph& graph, const OrderingRequest& request) {
  const CompressedGraph compressed = graph_to_order(lower_pattern(graph), request.method);
  const Ordering ordering = order(compressed, request);
  return {member_order(compressed, ordering.permutation), ordering.method};
}

class EveryMethod : public testing::TestWithParam<std::string> {};

TEST_P(EveryMethod, OrdersEveryVertexOnce) {
  for (const auto& [name, graph] : ordering_graphs()) {
    SCOPED_TRACE(name);
    const MemberOrder ordering = order(graph, request_for(GetParam()));

    EXPECT_EQ(ordering.permutation.size(), graph.n);
    EXPECT_NO_THROW(check(ordering.permutation));
    EXPECT_EQ(ordering.method == GetParam(), GetParam() != "auto") << ordering.method;
  }
}

TEST_P(EveryMethod, GivesTheSameOrderAlways) {
  for (const AdjacencyGraph& graph : {grid_graph(25), multiplied(space_grid_graph(6), 3)}) {
    const OrderingRequest request = request_for(GetParam());
    const MemberOrder first = order(graph, request);

    for (const auto& again :
         concurrent_orders(2, 2, [&] { return order(graph, request).permutation; })) {
      EXPECT_EQ(again, first.permutation.old_of);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ordering, EveryMethod,
                         testing::Values("auto", "dissection", "scotch", "metis", "amd", "natural"),
                         [](const auto& info) { return info.param; });

class FillReducingMethod : public testing::TestWithParam<std::string> {};

TEST_P(FillReducingMethod, HasFarLessFillThanTheNumberingOfAGrid) {
  const std::vector<NamedGraph> grids = {{"30 x 30", grid_graph(30)},
                                         {"11 x 11 x 11", space_grid_graph(11)}};
  for (const auto& [name, graph] : grids) {
    SCOPED_TRACE(name);
    const OrderingCost natural = counted_cost(graph, Permutation::identity(graph.n));

    const OrderingCost cost =
        counted_cost(graph, order(graph, request_for(GetParam())).permutation);

    EXPECT_LT(cost.entries, 0.65 * natural.entries);
    EXPECT_LT(cost.flops, 0.65 * natural.flops);
  }
}

TEST_P(FillReducingMethod, EliminatesADenseRowLast) {
  const AdjacencyGraph graph = with_dense_row(grid_graph(20));
  const AdjacencyGraph grid = grid_graph(20);
  const Permutation with = order(graph, request_for(GetParam())).permutation;
  const double natural = counted_cost(grid, Permutation::identity(grid.n)).entries;

  EXPECT_LT(counted_cost(graph, with).entries, natural + graph.n);
}

TEST_P(FillReducingMethod, KeepsIndistinguishableVerticesTogether) {
  const AdjacencyGraph graph = multiplied(space_grid_graph(6), 3);
  const auto old_of = order(graph, request_for(GetParam())).permutation.old_of;

  for (std::size_t k = 0; k < old_of.size(); k += 3) {
    EXPECT_EQ(old_of[k + 1], old_of[k] + 216);
    EXPECT_EQ(old_of[k + 2], old_of[k] + 432);
  }
}

INSTANTIATE_TEST_SUITE_P(Ordering, FillReducingMethod,
                         testing::Values("auto", "dissection", "scotch", "metis", "amd"),
                         [](const auto& info) { return info.param; });

TEST(Order, NaturalIsTheIdentity) {
  const AdjacencyGraph graph = multiplied(grid_graph(5), 2);

  EXPECT_EQ(order(graph, request_for("natural")).permutation.old_of,
            Permutation::identity(50).old_of);
}

TEST(Order, TakesThePathOfAFile) {
  const support::TemporaryFolder folder;

  const MemberOrder ordering =
      order(path_graph(3), request_for(folder.write("order.txt", "1\n3\n2\n")));

  EXPECT_EQ(ordering.method, "file");
  EXPECT_EQ(ordering.permutation.old_of, (std::vector<Index>{0, 2, 1}));
}

TEST(Order, GivesEveryVertexItsOwnPlaceInAFile) {
  const support::TemporaryFolder folder;

  const MemberOrder ordering =
      order(complete_graph(3), request_for(folder.write("order.txt", "2\n0\n1\n")));

  EXPECT_EQ(ordering.permutation.old_of, (std::vector<Index>{2, 0, 1}));
}

TEST(Order, RefusesAFileForAnotherSize) {
  const support::TemporaryFolder folder;
  const OrderingRequest request = request_for(folder.write("order.txt", "1\n3\n2\n"));

  support::expect_error<InputError>([&] { order(path_graph(4), request); },
                                    {"order.txt", "3 of 4"});
  support::expect_error<InputError>([&] { order(path_graph(2), request); },
                                    {"order.txt", "line 2", "'3'"});
}

TEST(Order, LeavesTheMethodOfRanksToThem) {
  support::expect_error<UsageError>([] { order(path_graph(3), request_for(ptscotch)); },
                                    {"ptscotch", "ranks", "scotch"});
}

TEST(Order, NamesTheKnownMethodsWhereItKnowsNone) {
  support::expect_error<UsageError>(
      [] { order(path_graph(3), request_for("minimum")); },
      {"'minimum'", "auto, dissection, scotch, ptscotch, metis, amd, natural", "file"});
  support::expect_error<UsageError>([] { order(path_graph(3), request_for("")); }, {"''"});
  support::expect_error<UsageError>([] { order(path_graph(3), request_for("AMD")); }, {"'AMD'"});
}

TEST(GraphToOrder, IsTheSameForAnyNumberOfWorkers) {
  const AdjacencyGraph grid = multiplied(space_grid_graph(22), 2);
  const LowerPattern pattern = lower_pattern(permuted(grid, random_permutation(grid.n, 3)));
  const CompressedGraph alone = graph_to_order(pattern, "auto");
  EXPECT_EQ(alone.graph.n, grid.n / 2);
  for (const Index workers : {2, 7}) {
    const CompressedGraph graph = graph_to_order(pattern, "auto", {}, workers);

    EXPECT_EQ(graph.graph.begin, alone.graph.begin);
    EXPECT_EQ(graph.graph.neighbour, alone.graph.neighbour);
    EXPECT_EQ(graph.weight, alone.weight);
    EXPECT_EQ(graph.member, alone.member);
    EXPECT_EQ(graph.member_begin, alone.member_begin);
  }
}

}  // namespace
}  // namespace espalier::internal
