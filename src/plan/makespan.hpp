// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "base/cost_table.hpp"
#include "base/host_load.hpp"
#include "graph/described_graph.hpp"
#include "graph/task_graph.hpp"
#include "plan/device_seconds.hpp"

namespace espalier::internal {

/// Devices that share the tasks of a graph with the host. They run the tasks that write shadows,
/// or, if `anything` is set, all tasks except subtrees. The host runs the rest.
struct DeviceShare {
  Index processors = 1;  ///< number of tasks that the devices run at a time
  const KernelCost& kernels;
  const DeviceTable& table;
  const PanelStructure& structure;  ///< structure of the graph
  const DeviceSeconds* anything = nullptr;
};

/// Returns the predicted seconds of a list schedule, highest priority first, on `workers` equal
/// workers of the host. On the host, each task takes `overhead` seconds in addition to
/// Task::seconds. For a part of the overhead a worker holds the lock of the policy, so that other
/// workers cannot take a task. On devices, the overhead is that of the device table. Without
/// devices the host runs all tasks. With devices, a tile is copied to the devices before its first
/// use there. A shadow is copied back before it is added to its tile. Copies run one at a time. If
/// copies do not overlap with tasks, a copy also occupies a processor of the devices. Cost O((tasks
/// + edges) log tasks).
double predicted_makespan(const TaskGraph& graph, Index workers, double overhead,
                          const DeviceShare* devices = nullptr);

/// Returns a lower bound of the seconds of the work, without idle time, copies and overhead per
/// task. Each update runs on the host or the devices, wherever it is relatively faster; at most one
/// update is split, so that both finish together. The host runs all other tasks, except additions
/// of shadows, which do not count. Devices with `anything` may run all their kinds of tasks except
/// fill, and the bound then includes the devices' overhead per task. Cost O(tasks log tasks).
double least_seconds(const TaskGraph& graph, Index workers, const DeviceShare& devices);

/// Returns the predicted seconds of the longest path if each task runs on the faster of host and
/// devices. Devices run only the kinds of tasks that they may run in least_seconds(). Copies take
/// no time. Cost O(tasks + edges).
double least_path_seconds(const TaskGraph& graph, const DeviceShare& devices);

/// Returns a lower bound of the makespan of any schedule of these tasks on `workers` workers of the
/// host and on `devices` (may be null). The bound is the larger of the minimum time of the work and
/// the minimum time of the longest path. `load` has factors on the host's seconds: `together` for
/// the work, `alone` for the longest path.
double least_makespan(const TaskGraph& graph, Index workers, const HostLoad& load,
                      const DeviceShare* devices);

/// Workers of the host and devices that run the tasks of a described graph.
struct Processors {
  Index workers = 1;  ///< workers of the host
  Index devices = 0;  ///< devices; each runs one task at a time
  HostLoad load{};    ///< factors on the host's seconds, as in least_makespan()
};

/// Returns the same bound for a described graph, whose shapes have the times on devices.
/// `shares[t]` workers of the host run task t together, each for an equal part of its time.
double least_makespan(const DescribedGraph& graph, std::span<const Index> shares,
                      const Processors& on);

}  // namespace espalier::internal
