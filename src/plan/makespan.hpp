// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/cost_table.hpp"
#include "base/host_load.hpp"
#include "graph/task_graph.hpp"
#include "plan/device_seconds.hpp"

namespace espalier::internal {

/// Devices that share the tasks of a graph with the host: what writes shadows runs on them, all
/// else on the host; or with `anything` all but subtrees on them.
struct DeviceSide {
  Index processors = 1;  ///< each runs one task in the time that the table says
  const KernelCost& kernels;
  const DeviceTable& table;
  const PanelStructure& structure;  ///< that of the graph
  const DeviceSeconds* anything = nullptr;
};

/// Returns the predicted seconds of a list schedule, highest priority first, on `workers` equal
/// workers of the host with `overhead` seconds added to each task. Devices, where there are any: a
/// tile travels there before its first use, a shadow back before it is added to its tile. Copies go
/// one at a time, and keep a processor of the devices from tasks where they do not overlap.
/// Without, the host runs all tasks. Cost O((tasks + edges) log tasks).
double predicted_makespan(const TaskGraph& graph, Index workers, double overhead,
                          const DeviceSide* devices = nullptr);

/// Returns the predicted seconds of the work alone, without idle time, copies, and what tasks cost
/// beside their kernels: updates are spread over both sides, each to where it takes less than on
/// the other side compared with the rest, one of them by parts; all else is the host's. No division
/// of the updates is predicted to be done sooner. Devices that take `anything` share all that they
/// run but fill, and what tasks cost them counts. Cost O(tasks log tasks).
double least_seconds(const TaskGraph& graph, Index workers, const DeviceSide& devices);

/// Returns the predicted seconds of the longest path where each task runs on the side that takes
/// less for it, of those that least_seconds() allows it, and copies take no time. Cost O(tasks +
/// edges).
double least_path_seconds(const TaskGraph& graph, const DeviceSide& devices);

/// Returns a bound of the makespan of any schedule of these tasks on so many workers of the host,
/// and on devices where there are any: the longer of what the work and what the longest path take
/// at least, by what tasks are predicted to take under the least load.
double least_makespan(const TaskGraph& graph, Index workers, const HostLoad& load,
                      const DeviceSide* devices);

}  // namespace espalier::internal
