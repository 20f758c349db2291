// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <string>

namespace espalier {

/// What the steady clock of this machine shows.
inline double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Seconds since the construction or the last restart, by the steady clock.
class Stopwatch {
 public:
  /// When it showed 0, by steady_seconds().
  double begin() const { return std::chrono::duration<double>(start_.time_since_epoch()).count(); }
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  /// The seconds so far; counts from zero again.
  double restart() {
    const double elapsed = seconds();
    start_ = std::chrono::steady_clock::now();
    return elapsed;
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// The local date: year-month-day.
std::string today();

}  // namespace espalier
