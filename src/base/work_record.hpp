// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <vector>

#include "espalier/types.hpp"

namespace espalier::internal {

/// The machine on which recorded work is replayed.
struct ReplayMachine {
  Index workers = 1;
  double thread_start = 0;  ///< seconds that the opener of a section needs to start each thread
  /// Returns the factor on the time of a stretch that begins while `busy` workers are busy,
  /// including the worker of this stretch. Without a function the factor is 1.
  std::function<double(Index busy)> time_at{};
};

/// Tree of serial stretches and parallel sections of a computation, in seconds. A section has
/// tasks. A task is serial, except that it can open sections, for which it waits, and add tasks to
/// its own section. Tasks begin in the order in which they were recorded. An example:
///
///     record.compute(1);                         // a serial second
///     record.open_section(2);                    // on two threads
///     const Index a = record.add_task();
///     record.begin_task(a);
///     record.compute(1);
///     record.end_task();
///     record.close_section();
class WorkRecord {
 public:
  void compute(double seconds) { task_[at_.back()].step.back().seconds += seconds; }
  /// Opens a section on `threads` threads. Its opener starts the other threads, unless they `run`
  /// already.
  void open_section(Index threads, bool run = false);
  /// Adds a task to the innermost open section. A thread of the section may begin it from now on. A
  /// task that never begins does not count.
  Index add_task();
  void begin_task(Index task);
  void end_task() { at_.pop_back(); }
  void close_section();

  /// Returns the sum of all stretches, in seconds.
  double work() const;
  /// Returns the longest chain of stretches, in seconds. This is a lower bound of the time on any
  /// number of workers.
  double span() const;
  /// Returns the makespan of a list schedule, in seconds (R. L. Graham, "Bounds on multiprocessing
  /// timing anomalies", 1969): no worker is idle while a task could begin. No section gets more
  /// threads than in its record. Cost O(tasks * log(tasks)) if sections are not nested.
  double replay(const ReplayMachine& machine) const;

 private:
  friend class WorkReplay;
  static constexpr Index none = -1;

  /// A serial stretch and the event that ends it: the task opens a section, adds another task, or
  /// ends.
  struct Step {
    double seconds = 0;
    Index opened = none;
    Index added = none;
  };
  struct Task {
    Index section = none;
    Index place = none;  ///< position in the order in which tasks begin
    std::vector<Step> step{};
  };
  struct Section {
    Index threads = 1;
    bool run = false;            ///< whether the threads run when the section opens
    std::vector<Index> first{};  ///< tasks that exist when the section opens
  };

  /// Returns the longest chain from the start of a task to its own end or to the end of a task that
  /// it has added.
  double span_of(Index task) const;

  std::vector<Task> task_{{none, 0, {{}}}};
  std::vector<Section> section_;
  std::vector<Index> at_{0};  ///< running tasks, innermost last
  std::vector<Index> open_;   ///< open sections
  Index begun_ = 1;
};

}  // namespace espalier::internal
