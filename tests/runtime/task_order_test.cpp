// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/task_order.hpp"

#include <gtest/gtest.h>

#include <set>

#include "runtime/sample_factor.hpp"
#include "runtime/sample_orders.hpp"
#include "support/divisions.hpp"

namespace espalier::internal {
namespace {

using support::Edges;
using support::SampleFactor;

/// Returns the edges from all tasks of each phase to its successors.
Edges edges_of(const TaskOrder& order) {
  Edges edges(static_cast<std::size_t>(order.tasks()));
  for (Index p = 0; p < order.phases(); ++p) {
    for (const Index before : order.members(p)) {
      edges[before].insert(order.successors(p).begin(), order.successors(p).end());
    }
  }
  return edges;
}

TEST(TaskOrder, HasTheEdgesOfTheAccesses) {
  for (const auto& problem : support::small_matrices()) {
    for (const double share : support::shares) {
      for (const Granularity granularity : support::granularities) {
        SCOPED_TRACE(problem.name + ", cut at " + std::to_string(share));
        const SampleFactor factor(problem.matrix, share, granularity);
        const TaskOrder order(factor.list());
        EXPECT_EQ(edges_of(order), support::edges_of(factor.list()));
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

struct NoWork : Arguments {
  void run(TaskData /*data*/, Worker& /*worker*/) const {}
};

TEST(TaskOrder, DividesTheAccessesToAPieceOfDataIntoPhases) {
  FactorContext context;
  const NoWork arguments{{&context}};
  TaskList list;
  list.data.resize(2);
  const auto add = [&](std::vector<Access> accesses) {
    list.append({TaskKind::update}, arguments, accesses, 0);
  };
  add({{1, AccessMode::write}});
  add({{1, AccessMode::add}, {0, AccessMode::read}});
  add({{0, AccessMode::read}, {1, AccessMode::add}});
  add({{1, AccessMode::read_write}});
  add({{1, AccessMode::read_write}});
  const TaskOrder order(list);
  ASSERT_EQ(order.phases(), 5);
  const auto members = [&](Index phase) {
    return std::vector<Index>(order.members(phase).begin(), order.members(phase).end());
  };
  EXPECT_EQ(members(0), (std::vector<Index>{1, 2})) << "reads of the first piece";
  EXPECT_EQ(members(1), (std::vector<Index>{0}));
  EXPECT_EQ(members(2), (std::vector<Index>{1, 2}));
  EXPECT_EQ(members(3), (std::vector<Index>{3}));
  EXPECT_EQ(members(4), (std::vector<Index>{4}));
  EXPECT_TRUE(order.successors(0).empty());
  EXPECT_TRUE(order.successors(4).empty());
  EXPECT_FALSE(order.takes_turns(0)) << "reads";
  EXPECT_TRUE(order.takes_turns(2)) << "additions";
  EXPECT_FALSE(order.takes_turns(3)) << "one task";
  for (Index t = 0; t < order.tasks(); ++t) EXPECT_EQ(order.waits(t), t == 0 ? 0 : 1);
  for (const Index t : {1, 2}) {
    EXPECT_EQ(order.phases(t)[0], 0);
    EXPECT_EQ(order.phases(t)[1], 2) << "phases ascend, whatever the order of the accesses";
  }
}

}  // namespace
}  // namespace espalier::internal
