// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <mutex>

#include "espalier/types.hpp"

namespace espalier::internal {

/// Time to start a thread, for the thread that starts it, in seconds.
inline constexpr double thread_start_seconds = 20e-6;

/// Calls body(task) once for each task in [0, tasks), on at most `workers` threads including the
/// calling one. With one worker this is a plain loop. The call starts the other threads
/// (thread_start_seconds each), or fewer if the system refuses more. A free thread takes the next
/// task. After the first exception no more tasks start, and the call throws it again.
void parallel_for(Index tasks, Index workers, const std::function<void(Index)>& body);

/// Divides [0, n) into ranges of nearly equal length, a few per worker but each at least `grain`
/// long, and calls body(begin, end) for each as parallel_for() does.
void parallel_ranges(Index n, Index grain, Index workers,
                     const std::function<void(Index, Index)>& body);

/// Calls body(task) once for each task in [0, tasks), in any order and possibly on several threads.
using ParallelLoop = std::function<void(Index tasks, const std::function<void(Index)>& body)>;

/// Runs the tasks one after the other.
inline void serial_loop(Index tasks, const std::function<void(Index)>& body) {
  for (Index task = 0; task < tasks; ++task) body(task);
}

/// Tasks of a loop that several threads share.
class LoopTasks {
 public:
  LoopTasks(Index count, const std::function<void(Index)>& body) : count_(count), body_(body) {}

  /// Runs tasks until all have begun. After the first exception no more tasks begin.
  void run();
  /// Throws the first exception of a task again.
  void rethrow() const;

 private:
  const Count count_;
  const std::function<void(Index)>& body_;
  std::atomic<Count> next_{0};
  std::mutex mutex_;
  std::exception_ptr failure_;
};

}  // namespace espalier::internal
