// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace espalier::internal {

/// Returns the time of the machine's steady clock, in seconds.
double steady_seconds();

/// Stopwatch on the steady clock. It starts when it is constructed.
class Stopwatch {
 public:
  /// Returns steady_seconds() at the last start.
  double begin() const { return begin_; }
  double seconds() const { return steady_seconds() - begin_; }
  /// Returns the seconds since the last start, and starts again.
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
