// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "report/factor_report.hpp"
#include "report/worker_time.hpp"
#include "runtime/starpu/copy_recording.hpp"
#include "solver/factor_storage.hpp"

namespace espalier::internal {

/// What workers and devices did for a factor, for its reports.
class RunRecorder {
 public:
  /// The storage outlives the object.
  explicit RunRecorder(FactorStorage& storage);

  /// Records the copies to and from devices from now on, if these take part, until stop_copies().
  void start_copies();
  void stop_copies();
  /// Returns the copies in the last factorization, by its clock.
  std::vector<CopyRun> factor_copies() const;

  /// Forgets what the workers did and what went to devices and back.
  void reset_tally();
  /// Adds a factorization of so many seconds, and, where none was faster, what was done for it
  /// since the tally was reset.
  void add_run_to(FactorHistory& history, double seconds);
  /// Forgets what the workers did in solves.
  void reset_solve_tally();
  /// Adds what they did in solves since then.
  void add_solves_to(FactorHistory& history) const;
  /// Returns how the workers of a process alone spent the last factorization, which took so many
  /// seconds.
  WorkerTime worker_time(double seconds);

 private:
  /// Counts flops and seconds by task kind, summed over the workers of a type.
  FactorHistory::Tally tally(WorkerType type) const;

  FactorStorage& storage_;
  std::optional<TimeDivision> time_division_;  ///< of a process alone
  CopyRecording copies_;
};

}  // namespace espalier::internal
