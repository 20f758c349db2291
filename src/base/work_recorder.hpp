// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "base/work_record.hpp"

namespace espalier::internal {

/// Returns the CPU time of the calling thread, in seconds. The result excludes sleep and waits for
/// a core, so that other programs hardly affect it. A call takes about 0.2 us.
double thread_seconds();

/// Records the computation of the thread that constructs the recorder, until the recorder is
/// destroyed. Meanwhile this thread alone runs the parallel sections (parallel_for(),
/// GrowingTasks), so that no other thread disturbs the timing. The sections are still divided into
/// tasks for all their threads. Without a recorder, a section pays only for reading one variable. A
/// thread has at most one recorder at a time.
class WorkRecorder {
 public:
  /// `take` gets the record at each settle(). `clock` returns seconds.
  explicit WorkRecorder(std::function<void(const WorkRecord&)> take,
                        double (*clock)() = thread_seconds);
  WorkRecorder(const WorkRecorder&) = delete;
  WorkRecorder& operator=(const WorkRecorder&) = delete;
  ~WorkRecorder();

  /// Returns the recorder of this thread, or null.
  static WorkRecorder* current();

  /// Passes the record so far to `take`, and starts a new one. Call it outside of any section.
  void settle();
  /// Excludes the time since the last call of any of these functions.
  void skip() { last_ = clock_(); }

  void open_section(Index threads);
  /// Runs a section of tasks [0, tasks). Its opener starts the other threads, unless they `run`
  /// already.
  void run_section(Index tasks, Index threads, bool run, const std::function<void(Index)>& body);
  Index add_task();
  /// Runs a task that add_task() returned.
  void run_task(Index task, const std::function<void()>& body);
  void close_section();

 private:
  void note();

  std::function<void(const WorkRecord&)> take_;
  double (*clock_)();
  double last_;
  WorkRecord record_;
};

}  // namespace espalier::internal
