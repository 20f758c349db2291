// SPDX-License-Identifier: BSD-3-Clause
#include "graph/priorities.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "graph/edges.hpp"
#include "graph/sample_graphs.hpp"

namespace espalier {
namespace {

/// The longest path from a task to the end, by looking at all of them.
double longest_path(const TaskGraph& graph, Index t) {
  double longest = 0;
  for (const Index next : graph.successors(t)) {
    longest = std::max(longest, longest_path(graph, next));
  }
  return longest + graph.task[t].seconds;
}

TEST(Priorities, AreTheLongestPaths) {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    const TaskGraph graph = support::random_graph(14, 0.3, seed);
    for (Index t = 0; t < graph.size(); ++t) {
      const double expected = longest_path(graph, t);
      EXPECT_NEAR(graph.task[t].priority, expected, support::rounding * expected) << "task " << t;
    }
  }
}

TEST(Priorities, OfFactorGraphsDecreaseAlongEveryEdge) {
  support::for_each_graph([](const auto&, const TaskGraph& graph) {
    for (Index t = 0; t < graph.size(); ++t) {
      for (const Index next : graph.successors(t)) {
        EXPECT_GT(graph.task[t].priority, graph.task[next].priority);
      }
    }
  });
}

TEST(CriticalPath, OfNoTasksIsZero) {
  TaskGraph graph;
  EdgeList(0).store(graph);
  set_priorities(graph);
  EXPECT_EQ(critical_path(graph), 0);
}

}  // namespace
}  // namespace espalier
