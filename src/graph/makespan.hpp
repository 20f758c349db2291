// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/device_table.hpp"
#include "graph/task_graph.hpp"

namespace espalier {

/// Devices that share the tasks of a graph with the host: what writes shadows runs on them, all
/// else on the host.
struct DeviceSide {
  Index workers = 1;
  const KernelCost& kernels;
  const DeviceTable& table;
  const PanelStructure& structure;  ///< of the graph
};

/// Predicted seconds of a list schedule, highest priority first, on `workers` equal workers of the
/// host with `overhead` seconds added to each task. Devices, where there are any: a tile travels
/// there before its first use, a shadow back before it is added to its tile. Copies go one at a
/// time, and keep a worker of the devices from tasks where they do not overlap. Without, the host
/// runs all tasks. Cost O((tasks + edges) log tasks).
double predicted_makespan(const TaskGraph& graph, Index workers, double overhead,
                          const DeviceSide* devices = nullptr);

}  // namespace espalier
