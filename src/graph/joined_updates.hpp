// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "graph/task_graph.hpp"

namespace espalier {

/// Up to where updates are joined into one task of a device.
struct JoinLimits {
  Index targets = 1;
  Count words = 0;            ///< of rows and columns, which the device is told with the task
  double seconds = 0;         ///< of the device's kernels: longer ones are no longer small
  const KernelCost& kernels;  ///< of the device
};

/// Joins updates by the same tiles into shadows on the same device, so that the device does small
/// ones in one call and no more tasks than that takes. A task stands where the last of those stood
/// that it consists of. No messages fall between these. Cost O(tasks + edges), nothing where there
/// are no shadows.
void join_updates(TaskGraph& graph, const JoinLimits& limits);

}  // namespace espalier
