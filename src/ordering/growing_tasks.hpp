// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

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

  void run_recorded(Index threads);
  void work_as(Index thread);
  /// Waits for a task while running tasks may add more. Returns nothing after all are done, or
  /// after stop().
  std::optional<Task> take();
  void finish_one();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Task> waiting_;  ///< heap, the largest first
  Index unfinished_ = 0;       ///< number of waiting and running tasks
  bool recording_ = false;
  std::atomic<bool> stopped_ = false;
};

}  // namespace espalier::internal
