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

/// Measures phases that a thread computes one after the other, with parallel sections. It can also
/// record their work.
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
/// this machine. In a simulation the workers are those of the simulated machine, and its clock
/// advances by the makespan.
double let_pass(const WorkRecord& work, Index workers);

}  // namespace espalier::internal
