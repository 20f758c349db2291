// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "chart/trace.hpp"

namespace espalier::internal {

/// Says on a terminal what takes so long: one line on stderr with the phase and its seconds, for
/// phases of more than a second, erased when they end. It is silent where stderr is no terminal.
class Progress {
 public:
  explicit Progress(bool wanted);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Ends the phase before, if any.
  void begin(const std::string& phase);
  void end();
  /// Gives the phase under way another name; its seconds go on.
  void rename(const std::string& phase);

 private:
  void show_until_stopped();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::string phase_;  ///< empty between phases
  Stopwatch watch_;
  bool shown_ = false;
  bool stopped_ = false;
  std::thread thread_;
};

/// The phases of a run of the program: says on a terminal which one is under way, and remembers
/// when each began and ended.
class Phases {
 public:
  explicit Phases(bool shown) : progress_(shown) {}

  /// Ends the phase before, if any.
  void begin(const std::string& name);
  void end();
  /// Divides what the phase under way has done so far into parts with their seconds, from its
  /// begin.
  void divide(const std::vector<std::pair<std::string, double>>& parts);

  /// Returns the seconds since the construction.
  double now() const { return clock_.seconds(); }
  /// Returns the phases that have ended, with their parts.
  const std::vector<Phase>& ended() const { return ended_; }

 private:
  Stopwatch clock_;
  Progress progress_;
  std::string name_;  ///< empty between phases
  double begin_ = 0;
  std::vector<Phase> ended_;
};

}  // namespace espalier::internal
