// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "base/clock.hpp"

namespace espalier {

/// Says on a terminal what takes so long: one line on stderr with the phase and its seconds, for
/// phases of more than a second, erased when they end. Silent where stderr is no terminal.
class Progress {
 public:
  explicit Progress(bool wanted);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Ends the phase before, if any.
  void begin(const std::string& phase);
  void end();
  /// Another name for the phase under way, whose seconds go on.
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

}  // namespace espalier
