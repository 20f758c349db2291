// SPDX-License-Identifier: BSD-3-Clause

#include "plan/makespan.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/decision_time.hpp"
#include "graph/edges.hpp"
#include "graph/joined_updates.hpp"
#include "graph/sample_graphs.hpp"
#include "graph/task_graph.hpp"
#include "graph/tiny_graph.hpp"
#include "support/problems.hpp"

namespace espalier::internal {
namespace {

double sum_of_seconds(const TaskGraph& graph) {
  double sum = 0;
  for (const Task& task : graph.task) sum += task.seconds;
  return sum;
}

TEST(Makespan, LiesBetweenItsBounds) {
  support::for_each_graph([](const auto&, const TaskGraph& graph) {
    const double path = critical_path(graph);
    const double sum = sum_of_seconds(graph);
    for (const Index workers : {1, 2, 3, 7}) {
      const double makespan = predicted_makespan(graph, workers, 0);
      EXPECT_GE(makespan, path * (1 - support::rounding));
      EXPECT_GE(makespan, sum / workers * (1 - support::rounding));
      EXPECT_LE(makespan, sum * (1 + support::rounding));
      // Graham, "Bounds for certain multiprocessing anomalies", 1966: any list schedule.
      EXPECT_LE(makespan, (sum / workers + path) * (1 + support::rounding));
    }
  });
}

TEST(Makespan, OfOneWorkerIsTheSumWithOverheads) {
  for (const std::uint64_t seed : {5, 6}) {
    const TaskGraph graph = support::random_graph(40, 0.1, seed);
    const double expected = sum_of_seconds(graph) + 0.25 * graph.size();
    EXPECT_NEAR(predicted_makespan(graph, 1, 0.25), expected, 1e-12 * expected);
  }
}

TEST(Makespan, OfManyWorkersIsTheCriticalPath) {
  for (const std::uint64_t seed : {7, 8}) {
    const TaskGraph graph = support::random_graph(40, 0.1, seed);
    const double path = critical_path(graph);
    EXPECT_NEAR(predicted_makespan(graph, 1000, 0), path, support::rounding * path);
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

TEST(Makespan, HasWorkersThatTakeTasksOneAfterTheOther) {
  const Index tasks = 100;
  TaskGraph graph;
  graph.task.assign(tasks, Task{.kind = TaskKind::update});
  EdgeList(0).store(graph);
  set_priorities(graph);
  const double overhead = 3e-6;
  EXPECT_NEAR(predicted_makespan(graph, 1, overhead), tasks * overhead, 1e-12);
  // The last worker gets its task after all others, and then needs the rest of the overhead.
  const double lock = 2 * decision_seconds;
  EXPECT_NEAR(predicted_makespan(graph, tasks, overhead), tasks * lock + overhead - lock, 1e-12);
}

TEST(Makespan, OfNoTasksIsZero) {
  TaskGraph graph;
  EdgeList(0).store(graph);
  set_priorities(graph);
  EXPECT_EQ(predicted_makespan(graph, 2, 1), 0);
}

/// Calls visit(structure, graph) for samples with half of the updates in shadows.
template <class Visit>
void for_each_divided(Visit visit) {
  const KernelCost cost;
  OffloadOptions options;
  options.division.rule = HaloDivision::Rule::static0;
  for (const support::NamedStructure& sample : support::sample_structures()) {
    SCOPED_TRACE(sample.name);
    const PanelStructure& structure = sample.symbolic;
    const SubtreeCut cut = cut_subtrees(sample.symbolic, panel_seconds(sample.symbolic, cost), 0);
    const OffloadPlan plan = plan_offload(structure, cut, cost, cost, options);
    if (plan.flops == 0) continue;
    visit(structure,
          build_factor_graph(structure, cut, tile_panels(structure, cut, Granularity::panel, 1),
                             cost, block_seconds(structure, cost), Fill::by_tasks, &plan));
    if (testing::Test::HasFailure()) return;
  }
}

constexpr double noise = 1e-9;

double makespan_with(const DeviceTable& table, const KernelCost& kernels,
                     const PanelStructure& structure, const TaskGraph& graph) {
  const DeviceShare device{1, kernels, table, structure};
  return predicted_makespan(graph, 1, 0, &device);
}

TEST(OffloadMakespan, IsShorterBesideADeviceThatCostsNothing) {
  KernelCost instant;
  instant.rate = 1e30;
  instant.call = instant.scattered = 0;
  Index seen = 0;
  for_each_divided([&](const PanelStructure& structure, const TaskGraph& graph) {
    EXPECT_LT(makespan_with({}, instant, structure, graph), predicted_makespan(graph, 1, 0));
    ++seen;
  });
  EXPECT_GT(seen, 0);
}

TEST(OffloadMakespan, IsThatOfTwoWorkersWhereTheWayTakesNoTime) {
  for_each_divided([&](const PanelStructure& structure, const TaskGraph& graph) {
    const double divided = makespan_with({}, {}, structure, graph);
    EXPECT_GE(divided, critical_path(graph) * (1 - support::rounding));
    EXPECT_LE(divided, predicted_makespan(graph, 1, 0) + noise);
  });
}

double least_beside(const KernelCost& kernels, const PanelStructure& structure,
                    const TaskGraph& graph) {
  const DeviceTable nothing;
  return least_seconds(graph, 1, {1, kernels, nothing, structure});
}

TEST(LeastSeconds, AreABoundOfEverySchedule) {
  for (const double rate : {1e9, 1e11, 1e13}) {
    KernelCost kernels;
    kernels.rate = rate;
    for_each_divided([&](const PanelStructure& structure, const TaskGraph& graph) {
      EXPECT_LE(least_beside(kernels, structure, graph),
                makespan_with({}, kernels, structure, graph) + noise);
    });
  }
}

TEST(LeastSeconds, AreThoseOfTheHostBesideADeviceOfNoUseAndOfTheRestBesideOneThatTakesNoTime) {
  KernelCost instant;
  instant.rate = 1e30;
  instant.call = instant.scattered = 0;
  KernelCost useless;
  useless.rate = 1;
  for_each_divided([&](const PanelStructure& structure, const TaskGraph& graph) {
    double rest = 0;
    double updates = 0;
    for (const Task& task : graph.task) {
      if (task.kind == TaskKind::update) {
        updates += task.seconds;
      } else if (task.contribution < 0) {
        rest += task.seconds;
      }
    }
    EXPECT_NEAR(least_beside(instant, structure, graph), rest, noise);
    EXPECT_NEAR(least_beside(useless, structure, graph), rest + updates, 1e-3 * updates);
    EXPECT_NEAR(least_beside({}, structure, graph), std::max(rest, (rest + updates) / 2),
                support::rounding * (rest + updates));
  });
}

TEST(LeastSeconds, AndThatOfTheLongestPathBoundDevicesThatTakeAnything) {
  const KernelCost host;
  for (const double task : {0.0, 1e-5, 1e-2}) {
    DeviceTable table;
    table.task = task;
    const DeviceSeconds seconds(table, host);
    support::for_each_graph([&](const PanelStructure& structure, const TaskGraph& graph) {
      const DeviceShare side{2, host, table, structure, &seconds};
      const double makespan = predicted_makespan(graph, 3, 0, &side) + noise;
      EXPECT_LE(least_seconds(graph, 3, side), makespan);
      EXPECT_LE(least_path_seconds(graph, side), makespan);
      EXPECT_LE(least_path_seconds(graph, side), critical_path(graph) + noise);
      EXPECT_LE(least_seconds(graph, 3, side), predicted_makespan(graph, 3, 0) + noise);
    });
  }
}

TEST(LeastSeconds, BesideADeviceThatTakesAnythingInNoTimeAreThoseOfSubtrees) {
  const KernelCost host;
  KernelCost instant;
  instant.rate = 1e30;
  DeviceTable table;
  table.syrk = table.gemm = table.potrf = table.trsm = {{1, 1, 1}, {1e-30}};
  const DeviceSeconds seconds(table, host);
  support::for_each_graph([&](const PanelStructure& structure, const TaskGraph& graph) {
    double subtrees = 0;
    double longest = 0;
    for (const Task& task : graph.task) {
      if (task.kind != TaskKind::subtree) continue;
      subtrees += task.seconds;
      longest = std::max(longest, task.seconds);
    }
    const DeviceShare side{1, instant, table, structure, &seconds};
    EXPECT_NEAR(least_seconds(graph, 2, side), subtrees / 2, noise);
    EXPECT_NEAR(least_path_seconds(graph, side), longest, noise);
  });
}

/// Tasks that no device can run are the host's work, however long they take.
TEST(LeastSeconds, BesideDevicesThatDoNotRunAHaveThatOfTheHost) {
  const KernelCost host;
  KernelCost instant;
  instant.rate = 1e30;
  DeviceTable table;
  table.syrk = table.gemm = table.potrf = table.trsm = {{1, 1, 1}, {1e-30}};
  table.assembles = false;
  const DeviceSeconds seconds(table, host);
  support::for_each_graph([&](const PanelStructure& structure, const TaskGraph& graph) {
    double here = 0;
    double longest = 0;
    for (const Task& task : graph.task) {
      if (task.kind != TaskKind::subtree && task.kind != TaskKind::assemble) continue;
      here += task.seconds;
      longest = std::max(longest, task.seconds);
    }
    const DeviceShare side{1, instant, table, structure, &seconds};
    EXPECT_NEAR(least_seconds(graph, 2, side), here / 2, noise);
    EXPECT_GE(least_path_seconds(graph, side) + noise, longest);
  });
}

TEST(LeastMakespan, IsTheLongerOfTheWorkAndThePathUnderTheLeastLoad) {
  support::for_each_graph([&](const PanelStructure& /*structure*/, const TaskGraph& graph) {
    double work = 0;
    for (const Task& task : graph.task) work += task.seconds;
    const double path = critical_path(graph);
    EXPECT_NEAR(least_makespan(graph, 1, {}, nullptr), work, support::rounding * work);
    EXPECT_NEAR(least_makespan(graph, 1000, {}, nullptr), path, support::rounding * path);
    EXPECT_NEAR(least_makespan(graph, 1, {0.25, 0.5}, nullptr), work / 2, support::rounding * work);
    EXPECT_NEAR(least_makespan(graph, 1000, {0.25, 0.5}, nullptr), path / 4, 1e-6 * path);
  });
}

TEST(LeastMakespan, IsNoLongerBesideDevices) {
  const KernelCost host;
  const DeviceTable table;
  const DeviceSeconds seconds(table, host);
  support::for_each_graph([&](const PanelStructure& structure, const TaskGraph& graph) {
    const DeviceShare side{2, host, table, structure, &seconds};
    const double beside = least_makespan(graph, 2, {}, &side);
    EXPECT_LE(beside, least_makespan(graph, 2, {}, nullptr) + noise);
    EXPECT_NEAR(beside, std::max(least_seconds(graph, 2, side), least_path_seconds(graph, side)),
                noise);
  });
}

TEST(LeastMakespan, OfADescribedGraph) {
  DescribedGraph graph = support::tiny_graph();  // 11 s of work, the longest path takes 6 s
  const std::vector<Index> alone(graph.task.size(), 1);
  EXPECT_EQ(least_makespan(graph, alone, {1}), 11);
  EXPECT_EQ(least_makespan(graph, alone, {2}), 6);
  EXPECT_EQ(least_makespan(graph, alone, {1, 0, {1, 2}}), 22);
  EXPECT_EQ(least_makespan(graph, alone, {2, 0, {0.5, 1}}), 5.5);
  EXPECT_EQ(least_makespan(graph, std::vector<Index>{1, 1, 1, 4, 1}, {4}), 1 + 3 + 1);
  EXPECT_EQ(least_makespan(graph, alone, {1, 1}), 11);  // without times, devices run nothing
  for (DescribedTask& task : graph.task) task.shape.device_seconds = task.device_seconds[0];
  EXPECT_EQ(least_makespan(graph, alone, {1, 1}), 1 + 1 + 1);
  graph.task[4].shape.seconds = 9;  // as long as all other tasks on the host
  EXPECT_EQ(least_makespan(graph, alone, {1, 1}), 1 + 1 + 9);
  EXPECT_EQ(least_makespan({}, {}, {1}), 0);
}

TEST(OffloadMakespan, OfDevicesThatTakeAnythingIsThatOfTheirKernelsOneByOne) {
  const KernelCost host;
  DeviceTable table;
  table.task = 1;  // so long that kernels do not matter
  for (const bool assembles : {true, false}) {
    table.assembles = assembles;
    const DeviceSeconds seconds(table, host);
    support::for_each_graph([&](const PanelStructure& structure, const TaskGraph& graph) {
      Index tasks = 0;
      for (const Task& task : graph.task) tasks += seconds.runs(task.kind) ? 1 : 0;
      const DeviceShare side{1, host, table, structure, &seconds};
      EXPECT_NEAR(predicted_makespan(graph, 1, 0, &side), tasks, 0.1);
    });
  }
}

TEST(OffloadMakespan, OfJoinedUpdatesLacksButTheTasksThatTheySave) {
  const KernelCost cost;
  Index saved = 0;
  for_each_divided([&](const PanelStructure& structure, TaskGraph graph) {
    DeviceTable device;
    device.task = 1;  // so long that the device is never idle between its first and its last task
    const Index before = graph.size();
    const double apart = makespan_with(device, cost, structure, graph);
    join_updates(graph, {100, 100000, 1, cost});
    const double joined = makespan_with(device, cost, structure, graph);
    EXPECT_NEAR(apart - joined, before - graph.size(), 0.01);
    saved += before - graph.size();
  });
  EXPECT_GT(saved, 0);
}

TEST(OffloadMakespan, CountsTasksAndTheWayThereAndBack) {
  for_each_divided([&](const PanelStructure& structure, const TaskGraph& graph) {
    Index tasks = 0;
    for (const Task& task : graph.task) {
      tasks += task.contribution >= 0 && task.kind != TaskKind::reduce ? 1 : 0;
    }
    DeviceTable device;
    device.task = 1;
    EXPECT_GE(makespan_with(device, {}, structure, graph), tasks);
    for (const bool overlaps : {false, true}) {
      device = {};
      device.overlaps = overlaps;
      device.to.latency = 1;
      EXPECT_GE(makespan_with(device, {}, structure, graph), 1);
      device.back.latency = 10;
      EXPECT_GE(makespan_with(device, {}, structure, graph), 11);
    }
  });
}

}  // namespace
}  // namespace espalier::internal
