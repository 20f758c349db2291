// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "graph/task_graph.hpp"
#include "mapping/kernel_cost.hpp"

namespace espalier::internal {

/// Says up to where updates are joined into one task of a device.
struct JoinLimits {
  Index targets = 1;
  Count words = 0;            ///< numbers of rows and columns that the device is told with the task
  double seconds = 0;         ///< of an update on the device: one that takes longer is not small
  const KernelCost& kernels;  ///< those of the device
};

/// Joins updates by the same tiles into shadows on the same device, so that the device does small
/// ones in one call and no more tasks than that takes. A task stands where the last of those stood
/// that it consists of. No messages fall between these. Cost O(tasks + edges), nothing where there
/// are no shadows.
void join_updates(TaskGraph& graph, const JoinLimits& limits);

/// Fuses the updates of one panel by one block of another: SYRK, on the rows that face the panel,
/// and GEMM, on those below, become one product that reads these rows once (swCholesky, section
/// 3.2), as long as no matrix of it has more entries than this. For one process whose workers share
/// its memory: there the tiles of a panel are parts of one array. Cost O(tasks + edges).
void fuse_updates(TaskGraph& graph, Count most_entries, const KernelCost& cost);

}  // namespace espalier::internal
