// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "graph/task_graph.hpp"
#include "mapping/kernel_cost.hpp"

namespace espalier::internal {

/// Limits on one joined update of a device.
struct JoinLimits {
  Index targets = 1;          ///< maximum number of joined updates
  Count words = 0;            ///< maximum number of row and column positions in the task's message
  double seconds = 0;         ///< maximum predicted seconds of the joined update on the device
  const KernelCost& kernels;  ///< kernel costs of the device
};

/// Joins small updates that read the same tiles and write shadows on the same device, so that the
/// device runs them in one call and has fewer tasks. The joined task takes the position of its last
/// member. No message separates its members. Cost O(tasks + edges), or none without shadows.
void join_updates(TaskGraph& graph, const JoinLimits& limits);

/// Fuses the updates of one panel by one block of another. SYRK, on the rows that face the panel,
/// and GEMM, on the rows below, become one product that reads the block once (swCholesky, section
/// 3.2). No matrix of the product gets more than `most_entries` entries. The graph must belong to
/// one process whose workers share its memory, because the tiles of a panel must be parts of one
/// array. Cost O(tasks + edges).
void fuse_updates(TaskGraph& graph, Count most_entries, const KernelCost& cost);

}  // namespace espalier::internal
