// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "base/clock.hpp"
#include "base/work_recorder.hpp"
#include "espalier/report.hpp"

namespace espalier::internal {

/// Time and work of a phase.
struct PhaseTime {
  double seconds = 0;
  WorkReport work;  ///< zeros if it was not recorded
};

/// Measures the time of consecutive phases of a thread. The phases may have parallel sections. The
/// object can also record their work.
class PhaseWatch {
 public:
  /// Starts the first phase. If `records` is true, this thread alone runs all phases and records
  /// their work (see WorkRecorder). `workers` is the number of workers in the schedules of that
  /// work.
  PhaseWatch(bool records, Index workers);

  /// Ends a phase and starts the next one. Returns the time and work of the phase.
  PhaseTime end_phase();

 private:
  Stopwatch watch_;
  /// Work of the current phase, at an address that the recorder keeps.
  std::unique_ptr<WorkReport> work_;
  std::unique_ptr<WorkRecorder> recorder_;
};

/// Returns the makespan, in seconds, of a list schedule of recorded work on `workers` workers of
/// this machine. In a simulation, the makespan is that of the simulated machine, and the simulated
/// clock advances by it.
double let_pass(const WorkRecord& work, Index workers);

}  // namespace espalier::internal
