// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "espalier/types.hpp"

/// \file
/// The place and time of each task of a factorization. Times are in seconds.

namespace espalier {

/// One task of a factorization, with the place and time of its run.
struct TaskRun {
  /// Kind of the task, one of the values of KindReport::kind.
  std::string kind;
  /// Block row that the task wrote to; a block row is a panel.
  Index row = 0;
  /// Block column that the task wrote to.
  Index column = 0;
  /// Number of rows written.
  Index m = 0;
  /// Number of columns written.
  Index n = 0;
  /// Inner dimension of the task's matrix product.
  Index k = 0;
  /// Number of floating-point operations.
  double flops = 0;
  /// Predicted time of the task on a worker of the type that ran it, in seconds.
  double predicted_seconds = 0;
  /// Predicted time of its dense kernels alone, in seconds.
  double kernel_seconds = 0;
  /// Worker that ran the task, counted from 0.
  Index worker = 0;
  /// Start, in seconds after the start of the factorization.
  double begin = 0;
  /// End, in seconds after the start of the factorization.
  double end = 0;
  /// Number of workers that ran the task together. `worker` is the first of them, and all ended at
  /// about the same time.
  Index slices = 1;
  /// Whether the worker is a worker of a device.
  bool on_device = false;
};

/// One copy between two memories of a process.
struct CopyRun {
  /// Rank of the process, counted from 0.
  Index rank = 0;
  /// Source: the number of a device of the rank, counted from 1, or 0 for the host.
  Index from = 0;
  /// Destination, numbered as the source.
  Index to = 0;
  /// Size, in bytes.
  Count bytes = 0;
  /// Time at which StarPU started the copy, in seconds after the start of the factorization.
  double begin = 0;
  /// Time at which StarPU noticed the end of the copy, in seconds after the start of the
  /// factorization.
  double end = 0;
};

/// The last factorization, task by task. With several ranks, the numbers of workers continue from
/// rank to rank. The numbers of panels do, too: first the domain of each rank, then the panels that
/// the ranks share.
struct Schedule {
  /// Time from the call of the factorization to its return, in seconds. If the call has not
  /// returned, time to the end of the last task.
  double seconds = 0;
  /// Number of workers that could run tasks.
  Index workers = 0;
  /// First worker of each rank; empty if there is only one rank.
  std::vector<Index> first_worker;
  /// Idle time, in seconds, summed over the workers, as in `tasks.idle_share` of Report. With
  /// several ranks, all time without tasks counts as idle, because workers also wait for messages.
  double idle_seconds = 0;
  /// Time of StarPU and of the submission of tasks, in seconds, summed over the workers.
  double runtime_seconds = 0;
  /// Predicted time of the longest path through the tasks, in seconds. With any number of workers,
  /// the factorization takes at least this time.
  double critical_path_seconds = 0;
  /// Tasks, in an order in which they could run one after another.
  std::vector<TaskRun> tasks;
  /// Copies to and from devices, in the order of their ends. Only the StarPU that tools/setup.sh
  /// builds reports copies; otherwise the list is empty.
  std::vector<CopyRun> copies;
};

}  // namespace espalier
