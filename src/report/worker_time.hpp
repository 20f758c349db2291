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
  double idle = 0;     ///< waiting, because no task could run before others ended
  double runtime = 0;  ///< the rest: StarPU submits, wakes, hands out and ends tasks
};

/// Divides the workers' time into tasks, idle time and overhead. Uses the recorded times of the
/// tasks. Before a task, a worker is idle until the last task that this task waits for has ended.
/// That is a predecessor, or another task that adds to the same tile. After its last task, a worker
/// is idle until the last task of all workers has ended. The rest of the gaps is runtime overhead.
class TimeDivision {
 public:
  /// Allocates all memory that of() needs. The graph must outlive the object.
  TimeDivision(const TaskGraph& graph, Index workers);

  /// Returns the workers' time in a factorization of `seconds` seconds. The tasks must be in the
  /// order of the graph. Cost O(tasks log tasks + edges).
  WorkerTime of(std::span<const BoundTask> tasks, double seconds);

 private:
  void find_possible_begins(std::span<const BoundTask> tasks);
  /// Returns the number of the tile or shadow that a task with a target writes: tiles first, then
  /// contributions.
  Index written_by(const Task& task) const;
  /// Returns the entries of last_end_ for the workers that ran a task: all workers if it had one
  /// slice per worker, else the recorded worker.
  std::span<double> workers_of(const TaskRecord& record);

  const TaskGraph& graph_;
  std::vector<double> possible_;   ///< for each task, the end of its last predecessor
  std::vector<Index> by_begin_;    ///< tasks, sorted by their begin
  std::vector<double> data_free_;  ///< for each tile or shadow, the end of its last task so far
  std::vector<double> last_end_;   ///< for each worker, the end of its last task so far
};

}  // namespace espalier::internal
