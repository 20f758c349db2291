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

/// What is known of a phase that is under way.
struct PhaseState {
  std::string name;
  double seconds = 0;        ///< that it has taken so far
  double expected = 0;       ///< seconds that it was expected to take in all; 0: not known
  double share = 0;          ///< of its work that was done when it was last told; 0: not known
  double share_seconds = 0;  ///< that it had taken then
};

/// Returns the phase with its seconds, and what share of all its seconds these are, and how many
/// are left, as far as that is known: the work that was done says so, or else what was expected.
std::string progress_line(const PhaseState& phase);

/// Returns about how many seconds the ordering takes that the options name, 0 where nothing
/// predicts that: a bound, as indistinguishable rows are ordered together.
double expected_ordering_seconds(const Matrix& matrix, const AnalysisOptions& options);

/// Says on a terminal what takes so long: one line on stderr, as progress_line() has it, for phases
/// of more than a second, erased when they end. It is silent where stderr is no terminal.
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
  /// Says how many seconds the phase under way is expected to take in all; 0: nobody knows.
  void expect(double seconds);
  /// Says what share of the work of the phase under way is done by now; 0: nobody knows.
  void done(double share);

 private:
  void show_until_stopped();

  std::mutex mutex_;
  std::condition_variable changed_;
  PhaseState phase_;  ///< without a name between phases
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
  /// As begin(), but the terminal goes on with the phase that it shows: for phases that take turns.
  void turn_to(const std::string& name);
  /// As Progress has them, for the phase that the terminal shows.
  void expect(double seconds) { progress_.expect(seconds); }
  void done(double share) { progress_.done(share); }
  /// Divides what the phase under way has done so far into parts with their seconds, from its
  /// begin.
  void divide(const std::vector<std::pair<std::string, double>>& parts);

  /// Returns the seconds since the construction.
  double now() const { return clock_.seconds(); }
  /// Returns the phases that have ended, with their parts.
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
