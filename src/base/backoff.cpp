// SPDX-License-Identifier: BSD-3-Clause
#include "base/backoff.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <thread>

namespace espalier::internal {

namespace {

using namespace std::chrono_literals;
using Clock = YieldBudget::Clock;

/// Yields that take longer are expensive. The limit is less than a time slice of the kernel.
constexpr Clock::duration expensive = 1ms;
/// Expensive yields take at most 1 / 20 of the time. A yield to another rank that computes is
/// expensive, too.
constexpr int yield_fraction = 20;

/// Maximum time that a thread yields, and the time that it spins if yields are expensive.
constexpr Backoff::Duration yield_time = 1ms;
constexpr Backoff::Duration spin_time = 20us;
constexpr Backoff::Duration shortest_sleep = 20us;
/// A sleep lasts 1 / 20 of the wait before it.
constexpr int sleep_fraction = 20;
/// Maximum sleep of backoff_of_thread(). Tasks and messages of a rank follow each other within
/// milliseconds.
constexpr Backoff::Duration longest_sleep_of_thread = 200us;

/// Yield budget of the process. All threads share it, so that the process makes few expensive
/// yields.
YieldBudget yields;

}  // namespace

bool YieldBudget::allows(Clock::time_point now) const {
  return now.time_since_epoch().count() >= next_.load(std::memory_order_relaxed);
}

void YieldBudget::charge(Clock::time_point begin, Clock::time_point end) {
  if (end - begin < expensive) return;
  const Clock::time_point next = end + yield_fraction * (end - begin);
  next_.store(next.time_since_epoch().count(), std::memory_order_relaxed);
}

void Backoff::pause() {
  const Clock::time_point now = Clock::now();
  if (!waits_) begin_ = now;
  waits_ = true;
  const Duration waited = now - begin_;
  if (waited < yield_time && yields.allows(now)) {
    std::this_thread::yield();
    yields.charge(now, Clock::now());
  } else if (waited >= spin_time) {
    sleep_precisely(std::clamp(waited / sleep_fraction, shortest_sleep, longest_));
  }
}

Backoff& backoff_of_thread() {
  thread_local Backoff backoff(longest_sleep_of_thread);
  return backoff;
}

void sleep_precisely(std::chrono::nanoseconds time) {
  const int slack = prctl(PR_GET_TIMERSLACK);
  prctl(PR_SET_TIMERSLACK, 1UL);
  std::this_thread::sleep_for(time);
  if (slack > 0) prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(slack));
}

}  // namespace espalier::internal
