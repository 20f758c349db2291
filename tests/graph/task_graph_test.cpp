// SPDX-License-Identifier: BSD-3-Clause

#include "graph/task_graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <stdexcept>

#include "graph/edges.hpp"
#include "graph/sample_graphs.hpp"
#include "matrix/generators.hpp"
#include "support/expect.hpp"

namespace espalier::internal {
namespace {

/// Each test damages a sound graph in one way and expects check() to name the damage.
class DamagedGraph : public testing::Test {
 protected:
  void expect_caught(const std::string& reason) {
    support::expect_error<std::logic_error>([this] { check(graph_, structure_); }, {reason});
  }
  Task& first(TaskKind kind, const std::function<bool(const Task&)>& fits = {}) {
    return *std::find_if(graph_.task.begin(), graph_.task.end(), [&](const Task& task) {
      return task.kind == kind && (!fits || fits(task));
    });
  }
  Index number(const Task& task) const { return static_cast<Index>(&task - graph_.task.data()); }
  Index panel_of(Index tile) const { return graph_.tiling.tile[tile].panel; }

  SymbolicFactor structure_ = support::structure_of(generate_matrix("laplace2d:20"));
  TaskGraph graph_ = support::graph_of(structure_, 0.05, Granularity::tile);
};

TEST_F(DamagedGraph, IsSoundBefore) {
  EXPECT_NO_THROW(check(graph_, structure_));
  for (const TaskKind kind : {TaskKind::diagonal, TaskKind::factor, TaskKind::update,
                              TaskKind::subtree, TaskKind::assemble}) {
    EXPECT_GT(graph_.counts()[static_cast<std::size_t>(kind)], 2) << name_of(kind);
  }
}

TEST_F(DamagedGraph, WithAnEdgeBackwards) {
  graph_.successor[graph_.successor_begin[5]] = 5;
  expect_caught("task 5 has a successor that comes before it");
}

TEST_F(DamagedGraph, WithADiagonalTaskOnAnotherTile) {
  Task& task = first(TaskKind::diagonal, [this](const Task& t) {
    return graph_.tiling.of(panel_of(t.target)).size() > 1;
  });
  ++task.target;
  expect_caught("factors a tile without a diagonal block");
}

TEST_F(DamagedGraph, WithAFactorTaskForAnotherPanel) {
  Task& task = first(TaskKind::factor);
  task.right = graph_.task.back().target;
  expect_caught("scales another panel's tile");
}

TEST_F(DamagedGraph, WithAFactorTaskOutsideItsTile) {
  ++first(TaskKind::factor).rows.end;
  expect_caught("outside of its source tile");
}

TEST_F(DamagedGraph, WithAFactorTaskWithoutRows) {
  Task& task = first(TaskKind::factor);
  task.rows.end = task.rows.begin;
  expect_caught("outside of its source tile");
}

TEST_F(DamagedGraph, WithAnUpdateFromTwoPanels) {
  Task& task = first(TaskKind::update);
  task.right = task.target;
  expect_caught("task " + std::to_string(number(task)) + " has two source panels");
}

TEST_F(DamagedGraph, WithAnUpdateThatReadsRowsOutsideOfItsTile) {
  Task& task = first(TaskKind::update);
  task.rows.end = graph_.tiling.tile[task.left].row_end + 1;
  expect_caught("outside of its source tile");
}

TEST_F(DamagedGraph, WithAnUpdateThatReadsColumnsOutsideOfItsTile) {
  Task& task = first(TaskKind::update);
  task.columns.begin = graph_.tiling.tile[task.right].row_begin - 1;
  expect_caught("outside of its source tile");
}

TEST_F(DamagedGraph, WithAnUpdateIntoAPanelThatLacksItsRows) {
  Task& task = first(TaskKind::update);
  task.target = graph_.task.back().target;
  expect_caught("that its target");
}

TEST_F(DamagedGraph, WithAnAssembleThatNoGroupContributes) {
  first(TaskKind::assemble).group = -1;
  expect_caught("assembles an update that its group lacks");
}

TEST_F(DamagedGraph, WithAnAssembleLeftOut) {
  first(TaskKind::assemble).kind = TaskKind::subtree;
  expect_caught("no task assembles group");
}

TEST_F(DamagedGraph, WithATaskOfTheSolve) {
  graph_.task.front().kind = TaskKind::forward;
  expect_caught("task 0 belongs to the solve");
}

TEST_F(DamagedGraph, WithWorkLeftOut) {
  Task& task = first(TaskKind::update, [](const Task& t) {
    return t.rows.size() > 1 && t.rows.begin != t.columns.begin;
  });
  --task.rows.end;
  expect_caught("entries instead of");
}

TEST_F(DamagedGraph, WithWorkDoneTwice) {
  for (const TaskKind kind : {TaskKind::assemble, TaskKind::update}) {
    graph_.task.push_back(first(kind));
    graph_.successor_begin.push_back(graph_.successor_begin.back());
    expect_caught(kind == TaskKind::update ? "entries instead of" : "another task assembles");
  }
}

TEST(TaskGraph, CountsTasksByKind) {
  TaskGraph graph;
  for (const TaskKind kind : {TaskKind::update, TaskKind::diagonal, TaskKind::update}) {
    graph.task.push_back({.kind = kind});
  }
  const auto counts = graph.counts();
  EXPECT_EQ(counts[static_cast<std::size_t>(TaskKind::update)], 2);
  EXPECT_EQ(counts[static_cast<std::size_t>(TaskKind::diagonal)], 1);
  EXPECT_EQ(counts[static_cast<std::size_t>(TaskKind::subtree)], 0);
}

}  // namespace
namespace {

/// Returns the length of the longest path from a task to the end, by enumeration.
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

/// Updates of a tile run one after the other, so the priority of the first includes all of them.
TEST(Priorities, CountAllThatIsAddedToATile) {
  Index sums = 0;
  support::for_each_graph([&](const auto&, const TaskGraph& graph) {
    std::vector<Index> next(graph.tiling.tile.size(), -1);
    for (Index t = graph.size() - 1; t >= 0; --t) {
      const Task& task = graph.task[t];
      if (task.kind != TaskKind::update || graph.written_instead(task) >= 0) continue;
      const Index after = std::exchange(next[task.target], t);
      if (after < 0) continue;
      ++sums;
      const double path = graph.task[after].priority + task.seconds;
      EXPECT_GE(task.priority, path * (1 - support::rounding));
    }
  });
  EXPECT_GT(sums, 0);
}

TEST(CriticalPath, OfNoTasksIsZero) {
  TaskGraph graph;
  EdgeList(0).store(graph);
  set_priorities(graph);
  EXPECT_EQ(critical_path(graph), 0);
}

}  // namespace
}  // namespace espalier::internal
