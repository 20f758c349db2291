// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/factor_tasks.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <utility>

#include "runtime/sample_factor.hpp"
#include "support/tolerance.hpp"

namespace espalier {
namespace {

using support::SampleFactor;

/// Successors of every task.
using Edges = std::vector<std::set<Index>>;

Edges edges_of(const TaskGraph& graph) {
  Edges edges(graph.task.size());
  for (Index t = 0; t < graph.size(); ++t) {
    const auto next = graph.successors(t);
    edges[t].insert(next.begin(), next.end());
  }
  return edges;
}

/// What a runtime derives from the accesses: reads between writes are free, and so are additions
/// that follow each other.
Edges edges_of(const TaskList& list) {
  struct History {
    std::vector<Index> last;      ///< tasks of the current kind of access
    std::vector<Index> previous;  ///< those before
    AccessMode mode = AccessMode::write;
  };
  Edges edges(list.task.size());
  std::vector<History> history(list.data.size());
  for (std::size_t t = 0; t < list.task.size(); ++t) {
    for (const Access& access : list.accesses(list.task[t])) {
      History& h = history[access.data];
      const bool shared = access.mode == AccessMode::read || access.mode == AccessMode::add;
      if (!shared || access.mode != h.mode) {
        h.previous = std::exchange(h.last, {});
        h.mode = access.mode;
      }
      for (const Index before : h.previous) edges[before].insert(static_cast<Index>(t));
      h.last.push_back(static_cast<Index>(t));
    }
  }
  return edges;
}

/// A seeded random order that respects the edges: any ready task may be the next.
TaskList shuffled(const TaskList& list, const Edges& edges, std::mt19937_64& generator) {
  std::vector<Index> waiting_for(edges.size(), 0);
  for (const auto& next : edges) {
    for (const Index t : next) ++waiting_for[t];
  }
  std::vector<Index> ready;
  for (std::size_t t = 0; t < edges.size(); ++t) {
    if (waiting_for[t] == 0) ready.push_back(static_cast<Index>(t));
  }
  TaskList result = list;
  result.task.clear();
  while (!ready.empty()) {
    const std::size_t pick = generator() % ready.size();
    const Index t = std::exchange(ready[pick], ready.back());
    ready.pop_back();
    result.task.push_back(list.task[t]);
    for (const Index next : edges[t]) {
      if (--waiting_for[next] == 0) ready.push_back(next);
    }
  }
  EXPECT_EQ(result.task.size(), list.task.size()) << "the edges have a cycle";
  return result;
}

template <class EdgesOf>
void expect_same_factor_in_any_order(EdgesOf edges) {
  std::mt19937_64 generator(1);
  for (const auto& problem : support::small_matrices()) {
    for (const double share : support::shares) {
      for (const Granularity granularity : support::granularities) {
        SCOPED_TRACE(problem.name + ", cut at " + std::to_string(share));
        SampleFactor factor(problem.matrix, share, granularity);
        const std::vector<double> expected = factor.run();
        for (int run = 0; run < 3; ++run) {
          const TaskList list = shuffled(factor.list(), edges(factor), generator);
          EXPECT_TRUE(support::close(factor.run(list), expected, factor.symbolic().n));
        }
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

TEST(FactorTasks, GiveTheSameFactorInAnyOrderThatTheGraphAllows) {
  expect_same_factor_in_any_order([](const SampleFactor& f) { return edges_of(f.graph()); });
}

TEST(FactorTasks, GiveTheSameFactorInAnyOrderThatTheAccessesAllow) {
  expect_same_factor_in_any_order([](const SampleFactor& f) { return edges_of(f.list()); });
}

/// The graph says what must wait; the accesses must not allow anything else.
TEST(FactorTasks, AccessesImplyEveryEdgeOfTheGraph) {
  for (const auto& problem : support::small_matrices()) {
    for (const Granularity granularity : support::granularities) {
      SampleFactor factor(problem.matrix, 0.1, granularity);
      const Edges allowed = edges_of(factor.list());
      std::vector<std::set<Index>> reach(allowed.size());
      for (std::size_t t = allowed.size(); t-- > 0;) {
        for (const Index next : allowed[t]) {
          reach[t].insert(next);
          reach[t].insert(reach[next].begin(), reach[next].end());
        }
        for (const Index next : factor.graph().successors(static_cast<Index>(t))) {
          EXPECT_TRUE(reach[t].contains(next)) << problem.name << ": " << t << " -> " << next;
        }
      }
    }
  }
}

TEST(FactorTasks, CarryTheShapeAndPriorityOfTheirTask) {
  SampleFactor factor(support::small_matrices().back().matrix, 0.1, Granularity::tile);
  ASSERT_EQ(std::ssize(factor.list().task), factor.graph().size());
  for (Index t = 0; t < factor.graph().size(); ++t) {
    const Task& task = factor.graph().task[t];
    const BoundTask& bound = factor.list().task[t];
    EXPECT_EQ(bound.shape.kind, task.kind);
    EXPECT_EQ(bound.shape.flops, task.flops);
    EXPECT_EQ(bound.shape.seconds, task.seconds);
    EXPECT_EQ(bound.shape.path, task.priority);
    EXPECT_FALSE(factor.list().accesses(bound).empty());
    EXPECT_GE(bound.shape.row, bound.shape.column);
    if (task.target < 0) continue;
    EXPECT_EQ(bound.shape.column, factor.graph().tiling.tile[task.target].panel);
  }
}

/// What schedules with barriers rely on.
TEST(FactorTasks, LeadToLaterLPartitionsOrStayInTheirWPartition) {
  for (const auto& problem : support::small_matrices()) {
    for (const double share : support::shares) {
      for (const Granularity granularity : support::granularities) {
        SCOPED_TRACE(problem.name + ", cut at " + std::to_string(share));
        const SampleFactor factor(problem.matrix, share, granularity);
        for (Index t = 0; t < factor.graph().size(); ++t) {
          const Shape& shape = factor.list().task[t].shape;
          EXPECT_GE(shape.w_partition, 0);
          EXPECT_EQ(shape.l_partition, factor.graph().levels.l_partition[shape.level]);
          EXPECT_TRUE(factor.graph().task[t].group < 0 || shape.level == 0) << t;
          for (const Index next : factor.graph().successors(t)) {
            const Shape& later = factor.list().task[next].shape;
            EXPECT_LE(shape.level, later.level);
            if (shape.l_partition < later.l_partition) continue;
            EXPECT_EQ(shape.w_partition, later.w_partition) << t << " -> " << next;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace espalier
