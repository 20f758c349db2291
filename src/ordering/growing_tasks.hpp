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

/// GrowingTasks are tasks for the threads of one parallel section that may add further ones. Free
/// threads take the largest first.
class GrowingTasks {
 public:
  using Body = std::function<void(Index thread)>;

  /// Adds a task: before run(), or from within another task.
  void add(Count size, Body body);
  /// Runs all tasks, each once, on so many threads, of which the calling one is the first, as
  /// parallel_for() has them; or only those that began before a stop(). The first exception stops
  /// the rest and is thrown again here.
  void run(Index threads);
  /// Lets no further task begin.
  void stop();
  /// Tasks that take long look at this.
  const std::atomic<bool>& stopped() const { return stopped_; }

 private:
  struct Task {
    Count size;
    Body body;
    Index recorded;
  };

  void run_recorded(Index threads);
  void work_as(Index thread);
  /// Waits while tasks at work may add more; returns nothing once all are done, or after stop().
  std::optional<Task> take();
  void finish_one();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Task> waiting_;  ///< a heap
  Index unfinished_ = 0;       ///< waiting ones and those at work
  bool recording_ = false;
  std::atomic<bool> stopped_ = false;
};

}  // namespace espalier::internal
