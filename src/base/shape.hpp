// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/kernel_queue.hpp"
#include "base/task_kind.hpp"
#include "espalier/types.hpp"

namespace espalier::internal {

struct DeviceBudget;
struct DeviceTable;

/// Description of a task for performance models and schedulers. The argument of every codelet
/// begins with it.
struct Shape {
  TaskKind kind;
  Index m = 0;  ///< rows written
  Index n = 0;  ///< columns written
  Index k = 0;  ///< inner dimension; for several kernels, the mean weighted by flops
  double flops = 0;
  double seconds = 0;         ///< predicted time on one CPU core
  double kernels = 0;         ///< sum of the kernel times on one CPU core, without other costs
  double device_seconds = 0;  ///< like `seconds`, on a device worker; 0: not run there, or unknown
  double device_kernels = 0;  ///< like `kernels`, on a device worker
  float path = 0;  ///< predicted seconds from its start to the end of the graph; its priority
  /// Predicted seconds of the work that the submission of the task announces: its own, unless tasks
  /// are submitted only when they are ready. Then the first tasks announce the work of all.
  double announced = 0;
  /// Columns for which the task computes a triangle (SYRK of an update) or solves with one (TRSM of
  /// a solve). The rest of the task's work is GEMM.
  Index square = 0;
  Index row = -1;         ///< block row that is written: the panel of its first row
  Index column = -1;      ///< block column that is written: the panel
  Index own_row = -1;     ///< `row`, counted among the block rows of this rank in the grid of ranks
  Index own_column = -1;  ///< `column`, counted likewise
  Index level = -1;       ///< height of the task's source panel above the subtrees
  Index l_partition = -1;  ///< l-partition of `level`: levels without a barrier between them
  Index w_partition = -1;  ///< w-partition of the source panel; w-partitions of one l-partition do
                           ///< not depend on each other
  Index device = -1;       ///< device with the shadow that the task writes, numbered from 0
  DeviceBudget* device_budget = nullptr;      ///< budget of the task's factor, in the host's memory
  const DeviceTable* device_costs = nullptr;  ///< likewise; null: no device runs it, or unknown
  QueueRecord* queued = nullptr;  ///< where a policy with queues records times and queue of the
                                  ///< task, in the host's memory; null: not asked for

  /// Returns the predicted seconds on a CPU core or on a worker of a device. A device with unknown
  /// time counts as a core.
  double seconds_on(bool device) const {
    return device && device_seconds > 0 ? device_seconds : seconds;
  }
  /// Returns the sum of the kernel times likewise.
  double kernels_on(bool device) const {
    return device && device_seconds > 0 ? device_kernels : kernels;
  }
};

}  // namespace espalier::internal
