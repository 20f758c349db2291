// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <chrono>

namespace espalier::internal {

/// Limits the time that the threads of a process lose by yielding their cores. A yield on an idle
/// core, or to a thread that soon waits itself, takes microseconds. On a busy core it costs a time
/// slice of another process, which is some milliseconds.
class YieldBudget {
 public:
  using Clock = std::chrono::steady_clock;

  /// Returns whether a thread may yield now.
  bool allows(Clock::time_point now) const;
  /// To be called after each yield. After a long one no thread yields for twenty times as long.
  void charge(Clock::time_point begin, Clock::time_point end);

 private:
  std::atomic<Clock::rep> next_{Clock::time_point::min().time_since_epoch().count()};
};

/// Pauses between the polls of a thread that waits for an event. At first the thread yields, or
/// spins where yields are expensive, because falling asleep and waking up takes as long as a short
/// message. Then it sleeps for a fraction of the time that it has waited so far: the kernel returns
/// a busy core at once to a thread that wakes up.
class Backoff {
 public:
  using Duration = std::chrono::nanoseconds;

  /// A thread sleeps for at most `longest` at once.
  explicit Backoff(Duration longest) : longest_(longest) {}

  /// To be called after each poll without an event.
  void pause();

  /// To be called after an event: the next pause begins a new wait.
  void reset() { waits_ = false; }

 private:
  Duration longest_;
  bool waits_ = false;
  YieldBudget::Clock::time_point begin_;
};

/// Returns the back-off of the thread of StarPU, or of StarPU-MPI, that calls it. Events are tasks
/// that the thread has executed and messages that it has completed.
Backoff& backoff_of_thread();

/// Sleeps for this time. The kernel's timer slack, 50 microseconds by default, is not added.
void sleep_precisely(std::chrono::nanoseconds time);

}  // namespace espalier::internal
