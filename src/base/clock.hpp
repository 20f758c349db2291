// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace espalier::internal {

/// Returns what the steady clock of this machine shows, in seconds.
double steady_seconds();

/// Measures seconds since its construction or its last restart, by the steady clock.
class Stopwatch {
 public:
  /// Returns steady_seconds() of when it showed 0.
  double begin() const { return begin_; }
  double seconds() const { return steady_seconds() - begin_; }
  /// Returns the seconds so far and counts from zero again.
  double restart() {
    const double now = steady_seconds();
    const double elapsed = now - begin_;
    begin_ = now;
    return elapsed;
  }

 private:
  double begin_ = steady_seconds();
};

/// Returns the local date as year-month-day.
std::string today();

}  // namespace espalier::internal
