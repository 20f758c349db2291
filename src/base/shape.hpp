// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/kernel_queue.hpp"
#include "base/task_kind.hpp"
#include "espalier/types.hpp"

namespace espalier::internal {

struct DeviceBudget;
struct DeviceTable;

/// What models and schedulers may know of a task: what the argument of every codelet begins with.
struct Shape {
  TaskKind kind;
  Index m = 0;  ///< rows written
  Index n = 0;  ///< columns written
  Index k = 0;  ///< inner dimension; of many kernels, the mean by flops
  double flops = 0;
  double seconds = 0;         ///< predicted on one CPU core
  double kernels = 0;         ///< what its kernels add up to there, without what else it takes
  double device_seconds = 0;  ///< as seconds, on a worker of a device; 0: none runs it, or unknown
  double device_kernels = 0;  ///< as kernels, likewise
  float path = 0;             ///< seconds from its start to the end of the graph, its priority
  /// Columns of which it computes a triangle or solves with one: an update's SYRK, a solve's TRSM;
  /// what else it does is GEMM.
  Index square = 0;
  Index row = -1;          ///< block row of what is written: the panel of its first row
  Index column = -1;       ///< its block column: the panel
  Index own_row = -1;      ///< row, counted among those that the grid of ranks gives to this one
  Index own_column = -1;   ///< column, counted likewise
  Index level = -1;        ///< height of the task's source panel above the subtrees
  Index l_partition = -1;  ///< the one that level is in: levels without a barrier between them
  Index w_partition = -1;  ///< the source panel's: nothing in the l-partition depends on another
  Index device = -1;       ///< the one with the shadow that the task writes, numbered from 0
  DeviceBudget* device_budget = nullptr;      ///< that of the task's factor, in the host's memory
  const DeviceTable* device_costs = nullptr;  ///< likewise; null: no device runs it, or unknown
  QueueRecord* queued = nullptr;  ///< where a policy with queues enters when, or in which one, the
                                  ///< task was in them; likewise, null: nobody wants to know

  /// Returns the seconds predicted on a CPU core or on a worker of a device, which counts as a core
  /// where what it takes is not known.
  double seconds_on(bool device) const {
    return device && device_seconds > 0 ? device_seconds : seconds;
  }
  /// Returns what the kernels add up to there.
  double kernels_on(bool device) const {
    return device && device_seconds > 0 ? device_kernels : kernels;
  }
};

}  // namespace espalier::internal
