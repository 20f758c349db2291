// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/device_table.hpp"
#include "graph/task_graph.hpp"

namespace espalier {

/// Two sides that share the tasks of a graph: what writes shadows runs on devices, all else on the
/// host.
struct TwoSides {
  Index host_workers = 1;
  double host_overhead = 0;  ///< seconds added to each task of the host
  Index device_workers = 1;
  const KernelCost& kernels;  ///< of the device
  const DeviceTable& device;
};

/// Predicted seconds of a list schedule, highest priority first: a tile travels to a device before
/// its first use there, a shadow back before it is added to its tile. Copies go one at a time, and
/// keep a worker of the devices from tasks where they do not overlap. Cost O((tasks + edges)
/// log tasks).
double predicted_makespan(const TaskGraph& graph, const PanelStructure& structure,
                          const TwoSides& sides);

}  // namespace espalier
