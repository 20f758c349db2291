// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <chrono>

namespace espalier::internal {

/// Limits the time that the threads of a process lose by yielding their cores. A yield takes
/// microseconds if no other thread needs the core, or if the thread that gets the core soon waits,
/// too. If another process computes on the core, the yield lasts one time slice of that process,
/// some milliseconds.
class YieldBudget {
 public:
  using Clock = std::chrono::steady_clock;

  /// Returns whether a thread may yield at time `now`.
  bool allows(Clock::time_point now) const;
  /// Records a yield that lasted from `begin` to `end`. Call it after each yield. After an
  /// expensive yield, allows() returns false for twenty times its duration.
  void charge(Clock::time_point begin, Clock::time_point end);

 private:
  std::atomic<Clock::rep> next_{Clock::time_point::min().time_since_epoch().count()};
};

/// Pauses a thread between its polls for an event. The thread first yields, because falling asleep
/// and waking up takes as long as a short message. If yields are expensive, it spins instead. Later
/// it sleeps for a fraction of the time that it has waited so far. The thread then gets its core
/// back at once, because the kernel favours threads that wake up.
class Backoff {
 public:
  using Duration = std::chrono::nanoseconds;

  /// `longest` is the maximum duration of one sleep.
  explicit Backoff(Duration longest) : longest_(longest) {}

  /// Pauses the thread. Call it after each poll that found no event.
  void pause();

  /// Ends the wait. Call it after an event, so that the next pause begins a new wait.
  void reset() { waits_ = false; }

 private:
  Duration longest_;
  bool waits_ = false;
  YieldBudget::Clock::time_point begin_;
};

/// Returns the back-off of the calling thread, which is a thread of StarPU or StarPU-MPI. The
/// thread polls for executed tasks or completed messages.
Backoff& backoff_of_thread();

/// Sleeps for `time`, without the timer slack of the kernel (50 microseconds by default).
void sleep_precisely(std::chrono::nanoseconds time);

}  // namespace espalier::internal
