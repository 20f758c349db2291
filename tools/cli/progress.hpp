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
#include "espalier/espalier.hpp"

namespace espalier::internal {

/// State of the current phase.
struct PhaseState {
  std::string name;
  double seconds = 0;   ///< time so far
  double expected = 0;  ///< expected total time in seconds; 0 if unknown
  double share = 0;     ///< share of the work that was done at the last report; 0 if unknown
  /// Time of the last report of the share, in seconds since the begin of the phase.
  double share_seconds = 0;
};

/// Returns the line for a phase: its name and seconds and, if they are known, the share that is
/// done and the seconds that are left. Both come from the reported share of the work, or else from
/// the expected time.
std::string progress_line(const PhaseState& phase);

/// Returns an estimate of the ordering time in seconds, or 0 if the ordering has none. The estimate
/// is an upper bound, because indistinguishable rows are ordered together.
double expected_ordering_seconds(const Matrix& matrix, const AnalysisOptions& options);

/// Shows the current phase on a terminal if it takes more than a second. The line goes to stderr
/// and has the format of progress_line(). It is erased when the phase ends. Prints nothing if
/// stderr is not a terminal.
class Progress {
 public:
  explicit Progress(bool wanted);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Begins a phase. Ends the previous one, if any.
  void begin(const std::string& phase);
  void end();
  /// Renames the current phase; its time goes on.
  void rename(const std::string& phase);
  /// Sets the expected total time of the current phase, in seconds; 0 if unknown.
  void expect(double seconds);
  /// Sets the share of the work of the current phase that is done; 0 if unknown.
  void done(double share);

 private:
  void show_until_stopped();

  std::mutex mutex_;
  std::condition_variable changed_;
  PhaseState phase_;  ///< has an empty name between phases
  Stopwatch watch_;
  bool shown_ = false;
  bool stopped_ = false;
  std::thread thread_;
};

/// The phases of a run of the program. Shows the current one on a terminal, and records the begin
/// and the end of each.
class Phases {
 public:
  explicit Phases(bool shown) : progress_(shown) {}

  /// Begins a phase. Ends the previous one, if any.
  void begin(const std::string& name);
  void end();
  /// Like begin(), but the terminal keeps showing its phase. Used by phases that alternate.
  void turn_to(const std::string& name);
  /// As in Progress, for the phase that the terminal shows.
  void expect(double seconds) { progress_.expect(seconds); }
  void done(double share) { progress_.done(share); }
  /// Divides the time of the current phase so far into parts. Each part has a name and its seconds,
  /// in order from the begin of the phase.
  void divide(const std::vector<std::pair<std::string, double>>& parts);

  /// Returns the seconds since the construction.
  double now() const { return clock_.seconds(); }
  /// Returns the finished phases, with their parts.
  const std::vector<Phase>& ended() const { return ended_; }

 private:
  void end_recorded();

  Stopwatch clock_;
  Progress progress_;
  std::string name_;  ///< empty between phases
  double begin_ = 0;
  std::vector<Phase> ended_;
};

}  // namespace espalier::internal
