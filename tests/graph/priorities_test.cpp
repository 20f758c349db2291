// SPDX-License-Identifier: BSD-3-Clause
#include "graph/priorities.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <utility>

#include "graph/edges.hpp"
#include "graph/sample_graphs.hpp"

namespace espalier {
namespace {

constexpr double rounding = 1e-5;  // priorities are floats

/// The longest path from a task to the end, by looking at all of them.
double longest_path(const TaskGraph& graph, Index t) {
  double longest = 0;
  for (const Index next : graph.successors(t)) {
    longest = std::max(longest, longest_path(graph, next));
  }
  return longest + graph.task[t].seconds;
}

/// Seeded: every pair (i, j), i < j, is an edge with some probability.
TaskGraph random_graph(Index tasks, double probability, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  TaskGraph graph;
  EdgeList edges(0);
  for (Index t = 0; t < tasks; ++t) {
    Task task{.kind = TaskKind::update};
    task.seconds = uniform(generator);
    graph.task.push_back(task);
    for (Index from = 0; from < t; ++from) {
      if (uniform(generator) < probability) edges.add(from, t);
    }
  }
  edges.store(graph);
  set_priorities(graph);
  return graph;
}

double sum_of_seconds(const TaskGraph& graph) {
  double sum = 0;
  for (const Task& task : graph.task) sum += task.seconds;
  return sum;
}

TEST(Priorities, AreTheLongestPaths) {
  for (const std::uint64_t seed : {1, 2, 3, 4}) {
    const TaskGraph graph = random_graph(14, 0.3, seed);
    for (Index t = 0; t < graph.size(); ++t) {
      const double expected = longest_path(graph, t);
      EXPECT_NEAR(graph.task[t].priority, expected, rounding * expected) << "task " << t;
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

TEST(Makespan, LiesBetweenItsBounds) {
  support::for_each_graph([](const auto&, const TaskGraph& graph) {
    const double path = critical_path(graph);
    const double sum = sum_of_seconds(graph);
    for (const Index workers : {1, 2, 3, 7}) {
      const double makespan = predicted_makespan(graph, workers, 0);
      EXPECT_GE(makespan, path * (1 - rounding));
      EXPECT_GE(makespan, sum / workers * (1 - rounding));
      EXPECT_LE(makespan, sum * (1 + rounding));
      // Graham, "Bounds for certain multiprocessing anomalies", 1966: any list schedule.
      EXPECT_LE(makespan, (sum / workers + path) * (1 + rounding));
    }
  });
}

TEST(Makespan, OfOneWorkerIsTheSumWithOverheads) {
  for (const std::uint64_t seed : {5, 6}) {
    const TaskGraph graph = random_graph(40, 0.1, seed);
    const double expected = sum_of_seconds(graph) + 0.25 * graph.size();
    EXPECT_NEAR(predicted_makespan(graph, 1, 0.25), expected, 1e-12 * expected);
  }
}

TEST(Makespan, OfManyWorkersIsTheCriticalPath) {
  for (const std::uint64_t seed : {7, 8}) {
    const TaskGraph graph = random_graph(40, 0.1, seed);
    const double path = critical_path(graph);
    EXPECT_NEAR(predicted_makespan(graph, 1000, 0), path, rounding * path);
  }
}

TEST(Makespan, OfIndependentTasksIsShared) {
  TaskGraph graph;
  for (const double seconds : {3.0, 2.0, 2.0, 1.0}) {
    Task task{.kind = TaskKind::update};
    task.seconds = seconds;
    graph.task.push_back(task);
  }
  EdgeList(0).store(graph);
  set_priorities(graph);
  EXPECT_DOUBLE_EQ(predicted_makespan(graph, 2, 0), 4);
  EXPECT_DOUBLE_EQ(predicted_makespan(graph, 4, 0.5), 3.5);
}

TEST(Makespan, OfNoTasksIsZero) {
  TaskGraph graph;
  EdgeList(0).store(graph);
  set_priorities(graph);
  EXPECT_EQ(predicted_makespan(graph, 2, 1), 0);
  EXPECT_EQ(critical_path(graph), 0);
}

}  // namespace
}  // namespace espalier
