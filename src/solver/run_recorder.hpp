// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "report/factor_report.hpp"
#include "report/worker_time.hpp"
#include "runtime/starpu/copy_recording.hpp"
#include "solver/factor_storage.hpp"

namespace espalier::internal {

/// Record of the work of workers and devices for one factor, for its reports.
class RunRecorder {
 public:
  /// The storage must outlive the object.
  explicit RunRecorder(FactorStorage& storage);

  /// Starts to record copies to and from devices, if devices are used, until stop_copies().
  void start_copies();
  void stop_copies();
  /// Returns the copies of the last factorization, with times on the clock of this factorization.
  std::vector<CopyRun> factor_copies() const;

  /// Clears the counts of the workers and of the copies to and from devices.
  void reset_tally();
  /// Adds a factorization that took `seconds` seconds. If it is the fastest one so far, the history
  /// gets the counts since the last reset_tally().
  void add_run_to(FactorHistory& history, double seconds);
  /// Clears the counts of the workers for solves.
  void reset_solve_tally();
  /// Adds the counts of solves since the last reset_solve_tally() to the history.
  void add_solves_to(FactorHistory& history) const;
  /// Returns how the workers of a single process spent the last factorization, which took `seconds`
  /// seconds.
  WorkerTime worker_time(double seconds);

 private:
  /// Returns flops and seconds by task kind, summed over the workers of a type.
  FactorHistory::Tally tally(WorkerType type) const;

  FactorStorage& storage_;
  std::optional<TimeDivision> time_division_;  ///< only in a single process
  CopyRecording copies_;
};

}  // namespace espalier::internal
