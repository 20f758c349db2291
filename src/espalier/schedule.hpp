// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "espalier/types.hpp"

/// \file
/// This header has which task of a factorization ran where and when. Times are in seconds.

namespace espalier {

/// A TaskRun is one task of a factorization: what it was, where and when it ran.
struct TaskRun {
  /// The kind is one of those of KindReport::kind.
  std::string kind;
  /// The task wrote to this block row, which is a panel.
  Index row = 0;
  /// It wrote to this block column.
  Index column = 0;
  /// It wrote this many rows.
  Index m = 0;
  /// It wrote this many columns.
  Index n = 0;
  /// The inner dimension of its product was this.
  Index k = 0;
  /// It performed this many floating-point operations.
  double flops = 0;
  /// It was predicted to take this time on a worker like the one that ran it.
  double predicted_seconds = 0;
  /// Its dense kernels alone were predicted to take this time there.
  double kernel_seconds = 0;
  /// It ran on this worker, counted from 0.
  Index worker = 0;
  /// It began this many seconds after the start of the factorization.
  double begin = 0;
  /// It ended this many seconds after the start of the factorization.
  double end = 0;
  /// This many workers ran it together, `worker` the first of them; all ended about then.
  Index slices = 1;
  /// Its worker is one of a device.
  bool on_device = false;
};

/// A CopyRun is one copy between two memories of a process.
struct CopyRun {
  /// The process was this rank, counted from 0.
  Index rank = 0;
  /// It left the memory of this device of the rank, counted from 1; that of the host is 0.
  Index from = 0;
  /// It arrived in the memory of this one.
  Index to = 0;
  /// It had this many bytes.
  Count bytes = 0;
  /// StarPU started it this many seconds after the start of the factorization.
  double begin = 0;
  /// StarPU saw this many seconds after the start of the factorization that it had ended.
  double end = 0;
};

/// A Schedule is the last factorization, task by task. On several ranks, workers count on from rank
/// to rank, and so do panels: first the domain of each rank, then what they share.
struct Schedule {
  /// This time passed from the call of the factorization to its return; without a return, to the
  /// last task's end.
  double seconds = 0;
  /// This many workers could run tasks.
  Index workers = 0;
  /// The workers of each rank begin with this one; the list is empty where there is one rank.
  std::vector<Index> first_worker;
  /// All workers together were idle for this time, as Report::tasks has it: on several ranks
  /// whatever is no task is idle, for it waits for messages, too.
  double idle_seconds = 0;
  /// StarPU and the submission took this of the workers' time.
  double runtime_seconds = 0;
  /// The longest path through the tasks is predicted to take this time: no number of workers is
  /// faster.
  double critical_path_seconds = 0;
  /// The tasks stand in an order in which they could run one after another.
  std::vector<TaskRun> tasks;
  /// The copies to and from devices stand in the order in which they ended; only the StarPU that
  /// tools/setup.sh builds tells of them.
  std::vector<CopyRun> copies;
};

}  // namespace espalier
