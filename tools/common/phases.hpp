// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "chart/trace.hpp"
#include "common/progress.hpp"

namespace espalier {

/// The phases of a run of the program: says on a terminal which one is under way, and remembers
/// when each began and ended.
class Phases {
 public:
  explicit Phases(bool shown) : progress_(shown) {}

  /// Ends the phase before, if any.
  void begin(const std::string& name);
  void end();
  /// What the phase that is under way has done so far: parts with their seconds, from its begin.
  void divide(const std::vector<std::pair<std::string, double>>& parts);

  /// Seconds since the construction.
  double now() const { return clock_.seconds(); }
  /// Those that have ended, with their parts.
  const std::vector<Phase>& ended() const { return ended_; }

 private:
  Stopwatch clock_;
  Progress progress_;
  std::string name_;  ///< empty between phases
  double begin_ = 0;
  std::vector<Phase> ended_;
};

}  // namespace espalier
