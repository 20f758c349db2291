// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <vector>

#include "espalier/types.hpp"

namespace espalier::internal {

/// The machine on which recorded work is replayed.
struct ReplayMachine {
  Index workers = 1;
  double thread_start = 0;  ///< seconds for which each thread of a section keeps who opens it busy
  /// Returns the factor on the time of a stretch that begins while so many workers are busy, its
  /// own included; without a function it is 1.
  std::function<double(Index busy)> time_at{};
};

/// A WorkRecord is the tree of serial stretches and parallel sections of a computation, in seconds.
/// A section has tasks; each is serial but for the sections that it opens itself, which it waits
/// for, and for tasks that it adds to its own section. Tasks begin in the order in which they were
/// recorded. From the outside in:
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
  void open_section(Index threads);
  /// Adds a task to the innermost section that is open. Whoever is at work may begin it from now
  /// on; one that never begins counts for nothing.
  Index add_task();
  void begin_task(Index task);
  void end_task() { at_.pop_back(); }
  void close_section();

  /// Returns the sum of all stretches.
  double work() const;
  /// Returns the longest chain of stretches: the time on any number of workers, where threads start
  /// at once.
  double span() const;
  /// Returns the makespan of a list schedule (R. L. Graham, "Bounds on multiprocessing timing
  /// anomalies", 1969): no worker is idle while a task could begin. No section has more threads
  /// than it was recorded with. Cost O(tasks * log(tasks)) where sections are not nested.
  double replay(const ReplayMachine& machine) const;

 private:
  friend class WorkReplay;
  static constexpr Index none = -1;

  /// A serial stretch and what ends it: a section is opened, another task is added, or it was the
  /// task's last one.
  struct Step {
    double seconds = 0;
    Index opened = none;
    Index added = none;
  };
  struct Task {
    Index section = none;
    Index place = none;  ///< in the order in which tasks begin
    std::vector<Step> step{};
  };
  struct Section {
    Index threads = 1;
    std::vector<Index> first{};  ///< tasks that were there from the start
  };

  /// Returns the longest chain from the begin of a task, up to its own end and that of the tasks
  /// that it has added.
  double span_of(Index task) const;

  std::vector<Task> task_{{none, 0, {{}}}};
  std::vector<Section> section_;
  std::vector<Index> at_{0};  ///< the task at hand, innermost last
  std::vector<Index> open_;   ///< sections
  Index begun_ = 1;
};

}  // namespace espalier::internal
