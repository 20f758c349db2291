// SPDX-License-Identifier: BSD-3-Clause
#include "plan/device_seconds.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>

#include "graph/sample_graphs.hpp"

namespace espalier::internal {
namespace {

constexpr double device_task = 0.25;

/// Returns a table in which every operation takes this time, whatever its size.
CostGrid seconds_an_operation(double seconds) { return {{1, 1, 1}, {seconds}}; }

DeviceTable device_with(double update, double others) {
  DeviceTable table;
  table.syrk = table.gemm = seconds_an_operation(update);
  if (others > 0) table.potrf = table.trsm = seconds_an_operation(others);
  table.task = device_task;
  return table;
}

/// Returns whether the kernels of a task have separate tables.
bool is_factorization(TaskKind kind) {
  return kind == TaskKind::diagonal || kind == TaskKind::factor;
}

TEST(DeviceSeconds, GoByTheKernelsOfTheDevice) {
  const DeviceSeconds device(device_with(2, 3), {});
  std::array<Index, task_kinds> seen{};
  support::for_each_graph([&](const PanelStructure& structure, const TaskGraph& graph) {
    for (const Task& task : graph.task) {
      ++seen[static_cast<std::size_t>(task.kind)];
      const double seconds = device.of(task, graph, structure);
      if (is_factorization(task.kind)) {
        EXPECT_NEAR(seconds, 3 * task.flops + device_task, 1e-9 * seconds);
      } else if (task.kind == TaskKind::update) {
        EXPECT_NEAR(seconds, 2 * task.flops + device_task, 1e-9 * seconds);
      } else if (task.kind == TaskKind::subtree) {
        EXPECT_EQ(seconds, 0);
      }
    }
  });
  for (const TaskKind kind : {TaskKind::diagonal, TaskKind::factor, TaskKind::update}) {
    EXPECT_GT(seen[static_cast<std::size_t>(kind)], 0) << name_of(kind);
  }
}

TEST(DeviceSeconds, AreNoneOfDiagonalBlocksThatStayOnTheHost) {
  const DeviceSeconds device(device_with(2, 3), {}, false);
  support::for_each_graph([&](const PanelStructure& structure, const TaskGraph& graph) {
    for (const Task& task : graph.task) {
      const bool runs = task.kind != TaskKind::subtree && task.kind != TaskKind::diagonal;
      EXPECT_EQ(device.runs(task.kind), runs);
      EXPECT_EQ(device.of(task, graph, structure) > 0, runs);
    }
  });
}

TEST(DeviceSeconds, AreNoneOfWhatTheDeviceDoesNotRun) {
  DeviceTable table = device_with(2, 3);
  table.assembles = false;
  const DeviceSeconds device(table, {});
  Index assembles = 0;
  support::for_each_graph([&](const PanelStructure& structure, const TaskGraph& graph) {
    for (const Task& task : graph.task) {
      const bool runs = task.kind != TaskKind::subtree && task.kind != TaskKind::assemble;
      EXPECT_EQ(device.runs(task.kind), runs);
      EXPECT_EQ(device.of(task, graph, structure) > 0, runs);
      assembles += task.kind == TaskKind::assemble ? 1 : 0;
    }
  });
  EXPECT_GT(assembles, 0);
}

TEST(DeviceSeconds, OfAStepOfASolveAreThoseOfItsTriangleAndItsRowsBelow) {
  DeviceTable table = device_with(2, 3);
  const DeviceSeconds device(table, {});
  const double triangle = 3 * flops::trsm(4, 10);
  const double below = 2 * flops::gemm(20, 4, 10);
  EXPECT_DOUBLE_EQ(device.of_solve(20, 10, 4, true), triangle + below + device_task);
  EXPECT_DOUBLE_EQ(device.of_solve(20, 10, 4, false), below + device_task);
  EXPECT_DOUBLE_EQ(device.of_solve(0, 10, 4, true), triangle + device_task);
}

TEST(DeviceSeconds, AreThoseOfTheHostWhereTheDeviceWasNotMeasured) {
  DeviceTable unknown;
  unknown.task = device_task;
  const DeviceSeconds none(unknown, {});
  const DeviceSeconds updates_alone(device_with(2, 0), {});
  support::for_each_graph([&](const PanelStructure& structure, const TaskGraph& graph) {
    for (const Task& task : graph.task) {
      if (task.kind == TaskKind::subtree || task.kind == TaskKind::update) continue;
      EXPECT_DOUBLE_EQ(none.of(task, graph, structure), task.seconds + device_task);
      if (is_factorization(task.kind)) {
        EXPECT_DOUBLE_EQ(updates_alone.of(task, graph, structure), task.seconds + device_task);
      }
    }
  });
}

TEST(DeviceSeconds, AreChangedByWhatItsTasksWereSeenToTake) {
  DeviceTable table = device_with(2, 3);
  const DeviceSeconds plain(table, {});
  support::for_each_graph([&](const PanelStructure& structure, const TaskGraph& graph) {
    std::set<TaskKind> known_kinds;  // a history takes megabytes
    for (const Task& task : graph.task) {
      if (!is_factorization(task.kind)) continue;
      const double kernels = plain.kernels(task, graph, structure);
      EXPECT_DOUBLE_EQ(plain.of(task, graph, structure), kernels + device_task);
      if (!known_kinds.insert(task.kind).second) continue;
      DeviceTable known = table;
      known.history.add({task.kind, task.flops, kernels, 0}, 1.5);
      EXPECT_NEAR(DeviceSeconds(known, {}).of(task, graph, structure), 1.5 * kernels + device_task,
                  1e-9 * kernels);
    }
  });
}

TEST(DeviceSeconds, OfASolveTakeTheHostsTriangleWhereTheDevicesWasNotMeasured) {
  const KernelCost host;
  const DeviceTable table = device_with(2, 0);
  ASSERT_TRUE(table.trsm.seconds.empty());
  const DeviceSeconds device(table, host);
  const double below = device.of_solve(20, 10, 4, false);
  EXPECT_GT(below, device_task);
  EXPECT_DOUBLE_EQ(device.of_solve(20, 10, 4, true), below + host.trsm(4, 10));
}

TEST(DeviceSeconds, OfMemoryThatIsInitialisedGoByTheDevicesMemory) {
  const KernelCost host;
  DeviceTable table = device_with(2, 3);
  table.fill = host.copied / 10;
  const DeviceSeconds device(table, host);
  const TaskGraph graph = [] {
    TaskGraph made;
    made.tiling.tile.push_back({});
    return made;
  }();
  PanelStructure structure;
  structure.panel_begin = {0, 1};
  for (const TaskKind kind : {TaskKind::fill, TaskKind::reduce}) {
    Task task{.kind = kind, .target = 0};
    task.seconds = 5;
    EXPECT_DOUBLE_EQ(device.of(task, graph, structure), 0.5 + device_task);
  }
}

}  // namespace
}  // namespace espalier::internal
