// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "graph/task_graph.hpp"
#include "mapping/kernel_cost.hpp"
#include "mapping/offload.hpp"

namespace espalier::internal {

/// A limit of the bytes on each device, and the workers of each.
struct DeviceLimit {
  Count bytes;
  Index workers;
};

/// What the fullest device has to hold.
struct DeviceBytes {
  Count most = 0;    ///< bytes at once: shadows, and the tiles that updates into them read
  Count beside = 0;  ///< bytes that the limit leaves beside the shadows
};

/// Counts all shadows, and with a limit no more tiles than this leaves beside those of the fullest
/// device, or else than its workers need at once.
DeviceBytes bytes_on_devices(const TaskGraph& graph, const PanelStructure& structure, Index devices,
                             std::optional<DeviceLimit> limit);

/// Joins what devices update in tasks that take them less than what a task costs them, where the
/// options know what devices cost: `kernels` are theirs.
void join_small_updates(TaskGraph& graph, const OffloadOptions& options, const KernelCost& kernels);

/// Returns what devices have at most at once; the policy `halo` sees to it where their memory is
/// limited.
DeviceBytes bytes_on_devices(const TaskGraph& graph, const PanelStructure& structure,
                             const OffloadOptions& options);

}  // namespace espalier::internal
