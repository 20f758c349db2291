// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "codelets/task_list.hpp"
#include "graph/task_graph.hpp"

namespace espalier::internal {

/// Seconds of all workers together during a factorization.
struct WorkerTime {
  double busy = 0;     ///< in tasks
  double idle = 0;     ///< no task that a worker could have run: all waited for others to end
  double runtime = 0;  ///< the rest: submitting, waking, handing out and ending tasks
};

/// Divides the workers' time by the records of the tasks. Before a task a worker is idle until the
/// last of those that the task waits for has ended, be it a predecessor or another one that adds to
/// the same tile; after its last task, until the last task of all has ended. What is left of the
/// gaps is the runtime's.
class TimeDivision {
 public:
  /// Allocates all that of() needs. The graph outlives the object.
  TimeDivision(const TaskGraph& graph, Index workers);

  /// Returns the workers' time in a factorization of `seconds`, with the tasks in the order of the
  /// graph. Cost O(tasks log tasks + edges).
  WorkerTime of(std::span<const BoundTask> tasks, double seconds);

 private:
  void find_possible_begins(std::span<const BoundTask> tasks);
  /// The tile or shadow that a task with a target writes, among all of them.
  Index written_by(const Task& task) const;
  /// The entries of last_end_ of those that ran a task: all where it had as many slices, else the
  /// one on record.
  std::span<double> workers_of(const TaskRecord& record);

  const TaskGraph& graph_;
  std::vector<double> possible_;   ///< for each task, when the last of its predecessors ended
  std::vector<Index> by_begin_;    ///< tasks, sorted by when they began
  std::vector<double> data_free_;  ///< when the last task so far on each tile or shadow ended
  std::vector<double> last_end_;   ///< when the last task so far of each worker ended
};

}  // namespace espalier::internal
