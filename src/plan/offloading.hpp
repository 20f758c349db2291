// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "graph/task_graph.hpp"
#include "mapping/kernel_cost.hpp"
#include "mapping/offload.hpp"

namespace espalier::internal {

/// Memory limit and number of workers of each device.
struct DeviceLimit {
  Count bytes;
  Index workers;
};

/// Memory that the fullest device needs.
struct DeviceBytes {
  Count most = 0;    ///< maximum bytes at a time: shadows, and the tiles that their updates read
  Count beside = 0;  ///< bytes that the limit leaves next to the largest shadows of a device
};

/// Returns the memory of the fullest device: its shadows, and the tiles that their updates read.
/// With a limit, the tiles of a device count with at most the larger of two numbers:
/// `DeviceBytes::beside`, and the bytes that the workers of the device may read at the same time.
DeviceBytes bytes_on_devices(const TaskGraph& graph, const PanelStructure& structure, Index devices,
                             std::optional<DeviceLimit> limit);

/// Joins small updates of devices into one task if their kernels take less time than the overhead
/// per task. Does nothing if the options have no costs of devices. `kernels` are the devices'
/// kernel costs.
void join_small_updates(TaskGraph& graph, const OffloadOptions& options, const KernelCost& kernels);

/// Returns the maximum memory that devices use at a time. If device memory is limited, the policy
/// `halo` keeps to this maximum.
DeviceBytes bytes_on_devices(const TaskGraph& graph, const PanelStructure& structure,
                             const OffloadOptions& options);

}  // namespace espalier::internal
