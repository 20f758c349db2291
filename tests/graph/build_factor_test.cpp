// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>
#include <vector>

#include "base/dense.hpp"
#include "graph/sample_graphs.hpp"
#include "graph/task_graph.hpp"

namespace espalier::internal {
namespace {

using support::for_each_graph;

Count count_of(const TaskGraph& graph, TaskKind kind) {
  return graph.counts()[static_cast<std::size_t>(kind)];
}

TEST(FactorGraph, KeepsItsInvariants) {
  for_each_graph([](const auto& structure, const TaskGraph& graph) {
    EXPECT_NO_THROW(check(graph, structure));
  });
}

TEST(FactorGraph, HasOneSubtreeTaskAGroupAndOneDiagonalTaskAPanelAbove) {
  for_each_graph([](const auto& structure, const TaskGraph& graph) {
    Count above = 0;
    Count scaled = 0;
    for (Index p = 0; p < structure.panels(); ++p) {
      if (graph.cut.group_of[p] < 0) ++above;
      for (const Tile& tile : graph.tiling.of(p)) scaled += tile.row_end > structure.width(p);
    }
    EXPECT_EQ(count_of(graph, TaskKind::subtree), std::ssize(graph.cut.groups));
    EXPECT_EQ(count_of(graph, TaskKind::diagonal), above);
    EXPECT_EQ(count_of(graph, TaskKind::factor), scaled);
    EXPECT_EQ(count_of(graph, TaskKind::forward) + count_of(graph, TaskKind::backward), 0);
  });
}

/// Returns the operations of a right-looking factorization, computed from the heights of the
/// panels.
double operations_of(const PanelStructure& structure) {
  double sum = 0;
  for (Index p = 0; p < structure.panels(); ++p) {
    const double width = structure.width(p);
    const double below = structure.height(p) - width;
    sum += flops::potrf(width) + flops::trsm(below, width) + flops::syrk(below, width);
  }
  return sum;
}

TEST(FactorGraph, HasTheOperationsOfTheFactorization) {
  for_each_graph([](const auto& structure, const TaskGraph& graph) {
    double sum = 0;
    for (const Task& task : graph.task) {
      EXPECT_GE(task.flops, 0);
      EXPECT_GT(task.seconds, 0);
      sum += task.flops;
    }
    const double expected = operations_of(structure);
    EXPECT_NEAR(sum, expected, 1e-12 * expected);
  });
}

/// Every entry that a panel above the cut updates is written by exactly one of its tasks. Compares
/// the entries of the tasks with all pairs of rows.
TEST(FactorGraph, CoversEveryPairOfRowsOnce) {
  for_each_graph([](const auto& structure, const TaskGraph& graph) {
    std::vector<std::tuple<Index, Index, Index>> writes;
    for (const Task& task : graph.task) {
      if (task.kind != TaskKind::update) continue;
      const Index source = graph.tiling.tile[task.left].panel;
      const auto rows = structure.rows(source);
      for (Index i = task.rows.begin; i < task.rows.end; ++i) {
        for (Index j = task.columns.begin; j < task.columns.end; ++j) {
          if (i >= j) writes.emplace_back(source, rows[i], rows[j]);
        }
      }
    }
    std::sort(writes.begin(), writes.end());
    EXPECT_EQ(std::adjacent_find(writes.begin(), writes.end()), writes.end()) << "written twice";
    Count due = 0;
    for (Index p = 0; p < structure.panels(); ++p) {
      const Count rows = structure.height(p) - structure.width(p);
      if (graph.cut.group_of[p] < 0) due += rows * (rows + 1) / 2;
    }
    EXPECT_EQ(std::ssize(writes), due);
  });
}

/// A group is assembled once into each tile of its external rows and columns.
TEST(FactorGraph, AssemblesEveryGroupIntoAllThatItUpdates) {
  for_each_graph([](const auto& structure, const TaskGraph& graph) {
    std::set<std::pair<Index, Index>> found;
    for (const Task& task : graph.task) {
      if (task.kind != TaskKind::assemble) continue;
      EXPECT_TRUE(found.emplace(task.group, task.target).second) << "assembled twice";
    }
    std::set<std::pair<Index, Index>> due;
    for (Index r = 0; r < std::ssize(graph.cut.groups); ++r) {
      const auto& group = graph.cut.groups[r];
      for (Index p = group.panel_begin; p < group.panel_end; ++p) {
        const auto rows = structure.rows(p);
        for (Index t = 0; t < std::ssize(graph.tiling.tile); ++t) {
          const Tile& tile = graph.tiling.tile[t];
          const auto of_tile =
              structure.rows(tile.panel)
                  .subspan(tile.row_begin, static_cast<std::size_t>(tile.row_end - tile.row_begin));
          const Index first = structure.panel_begin[tile.panel];
          const Index end = structure.panel_begin[tile.panel + 1];
          for (const Index column : rows) {
            if (column < first || column >= end) continue;
            for (const Index row : of_tile) {
              if (row >= column && std::binary_search(rows.begin(), rows.end(), row)) {
                due.emplace(r, t);
              }
            }
          }
        }
      }
    }
    EXPECT_EQ(found, due);
  });
}

TEST(FactorGraph, OfTheWholeForestIsOneTask) {
  const auto symbolic = support::structure_of(support::separable());
  const TaskGraph graph = support::graph_of(symbolic, 2.0, Granularity::panel);
  ASSERT_EQ(graph.size(), 1);
  EXPECT_EQ(graph.task[0].kind, TaskKind::subtree);
  EXPECT_TRUE(graph.successors(0).empty());
}

/// Arrow with the head last, without a cut: D, F and one update for each column except the last.
TEST(FactorGraph, OfAnArrowIsAStar) {
  const auto symbolic =
      support::structure_of(support::arrow_head_last(4), {"natural", 8, {{0, 0, 0, 0}, {}}});
  const TaskGraph graph = support::graph_of(symbolic, 0.0, Granularity::block);
  ASSERT_EQ(symbolic.panels(), 4);
  ASSERT_EQ(graph.size(), 3 * 3 + 1);
  for (Index column = 0; column < 3; ++column) {
    const Index d = 3 * column;
    EXPECT_EQ(graph.task[d].kind, TaskKind::diagonal);
    EXPECT_EQ(graph.task[d + 1].kind, TaskKind::factor);
    EXPECT_EQ(graph.task[d + 2].kind, TaskKind::update);
    EXPECT_THAT(graph.successors(d), testing::ElementsAre(d + 1));
    EXPECT_THAT(graph.successors(d + 1), testing::ElementsAre(d + 2));
    EXPECT_THAT(graph.successors(d + 2), testing::ElementsAre(9));
  }
  EXPECT_EQ(graph.task[9].kind, TaskKind::diagonal);
  EXPECT_TRUE(graph.successors(9).empty());
}

double predicted_sum(const PanelStructure& structure, double share, Granularity granularity,
                     const KernelCost& cost) {
  const SubtreeCut cut = support::cut_at_share(structure, share);
  const TaskGraph graph =
      build_factor_graph(structure, cut, tile_panels(structure, cut, granularity, 12), cost,
                         block_seconds(structure, cost));
  double sum = 0;
  for (const Task& task : graph.task) sum += task.seconds;
  return sum;
}

TEST(FactorGraph, PredictsAllWorkOfThePanelsOnce) {
  KernelCost cost;
  cost.column = 1e-6;
  for (const auto& sample : support::sample_structures()) {
    const std::vector<double> seconds = panel_seconds(sample.symbolic, cost);
    const double expected = std::accumulate(seconds.begin(), seconds.end(), 0.0);
    for (const double share : support::shares) {
      EXPECT_NEAR(predicted_sum(sample.symbolic, share, Granularity::panel, cost), expected,
                  1e-9 * expected)
          << sample.name << ", cut at " << share;
    }
  }
}

TEST(FactorGraph, PredictsThatEveryColumnIsFilledOnceHoweverItIsTiled) {
  KernelCost with;
  with.column = 1;
  for (const auto& sample : support::sample_structures()) {
    for (const double share : support::shares) {
      for (const Granularity granularity : support::granularities) {
        const double more = predicted_sum(sample.symbolic, share, granularity, with) -
                            predicted_sum(sample.symbolic, share, granularity, KernelCost{});
        EXPECT_NEAR(more, sample.symbolic.n, 1e-9 * sample.symbolic.n) << sample.name;
      }
    }
  }
}

TEST(FactorGraph, FillsEveryTileBeforeItIsWrittenWhereTasksOfTheirOwnDo) {
  for (const auto& sample : support::sample_structures()) {
    for (const double share : support::shares) {
      const TaskGraph graph =
          support::graph_of(sample.symbolic, share, Granularity::tile, Fill::by_tasks);
      check(graph, sample.symbolic);
      std::vector<Index> fill(graph.tiling.tile.size(), -1);
      for (Index t = 0; t < graph.size(); ++t) {
        const Task& task = graph.task[t];
        if (task.target < 0) continue;
        Index& first = fill[task.target];
        EXPECT_EQ(first < 0, task.kind == TaskKind::fill) << sample.name;
        if (first < 0) first = t;
        if (task.kind == TaskKind::fill || task.kind == TaskKind::factor) continue;
        EXPECT_THAT(graph.successors(first), testing::Contains(t)) << sample.name;
      }
      EXPECT_THAT(fill, testing::Each(testing::Ge(0))) << sample.name;
    }
  }
}

TEST(FactorGraph, HasNoEdgeTwice) {
  for_each_graph([](const auto&, const TaskGraph& graph) {
    for (Index t = 0; t < graph.size(); ++t) {
      const auto next = graph.successors(t);
      const std::set<Index> distinct(next.begin(), next.end());
      EXPECT_EQ(distinct.size(), next.size()) << "task " << t;
    }
  });
}

}  // namespace
}  // namespace espalier::internal
