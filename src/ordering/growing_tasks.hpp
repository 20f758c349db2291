// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <vector>

#include "base/parallel.hpp"
#include "espalier/types.hpp"

namespace espalier::internal {

/// Tasks of one parallel section that may add further tasks. Free threads take the largest task
/// first.
class GrowingTasks {
 public:
  using Body = std::function<void(Index thread)>;

  /// Adds a task. Call it before run(), or within another task.
  void add(Count size, Body body);
  /// Runs all tasks, each once, on `threads` threads including the calling one, as parallel_for()
  /// does. After stop() or the first exception, no more tasks begin. run() throws this exception
  /// again.
  void run(Index threads);
  /// Calls body(k) once for each k in [0, count). Call it within a task. Free threads help before
  /// they take the next task. Returns after the last call, and throws the first exception again.
  void loop(Index count, const std::function<void(Index)>& body);
  /// Prevents tasks that have not begun from running.
  void stop();
  /// Returns whether stop() was called. Long tasks check it to end early.
  const std::atomic<bool>& stopped() const { return stopped_; }

 private:
  struct Task {
    Count size;
    Body body;
    Index recorded;
  };

  /// A loop of a running task.
  struct Loop {
    LoopTasks tasks;
    Index helpers = 0;  ///< threads other than the opener that run its tasks
  };
  using Lock = std::unique_lock<std::mutex>;

  void run_recorded();
  /// Runs tasks and helps in loops until all tasks are done, or until stop().
  void work_as(Index thread);
  Task take();
  void help(Loop& loop, Lock& lock);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable loop_left_;
  std::vector<Task> waiting_;  ///< heap, the largest first
  std::vector<Loop*> loops_;   ///< loops with tasks that have not begun
  Index threads_ = 1;
  Index unfinished_ = 0;  ///< number of waiting and running tasks
  bool recording_ = false;
  std::atomic<bool> stopped_ = false;
};

}  // namespace espalier::internal
