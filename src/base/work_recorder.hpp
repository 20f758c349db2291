// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "base/work_record.hpp"

namespace espalier::internal {

/// Returns the seconds for which the calling thread has computed, in which it neither waited for a
/// core nor slept: other programs hardly disturb them. A call takes about 0.2 us.
double thread_seconds();

/// Records what the thread that makes it computes as long as it lives. That thread alone then runs
/// the parallel sections (parallel_for(), GrowingTasks), though cut as for all of their threads, so
/// that it times their tasks without any beside them. Without a recorder this costs a section one
/// look at a variable. At most one lives on a thread.
class WorkRecorder {
 public:
  /// `take` is given what was recorded at each settle(), and `clock` the seconds.
  explicit WorkRecorder(std::function<void(const WorkRecord&)> take,
                        double (*clock)() = thread_seconds);
  WorkRecorder(const WorkRecorder&) = delete;
  WorkRecorder& operator=(const WorkRecorder&) = delete;
  ~WorkRecorder();

  /// Returns the recorder of this thread, or null.
  static WorkRecorder* current();

  /// Hands over what was recorded up to now, outside of any section, and begins anew.
  void settle();
  /// Leaves out what passed since the last call of any of these.
  void skip() { last_ = clock_(); }

  void open_section(Index threads);
  Index add_task();
  /// Runs a task that was added.
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
