// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "base/clock.hpp"
#include "base/work_recorder.hpp"
#include "espalier/report.hpp"

namespace espalier::internal {

/// What a phase took.
struct PhaseTime {
  double seconds = 0;
  WorkReport work;  ///< zeros where it was not recorded
};

/// Measures phases that a thread computes one after the other, with parallel sections; some of them
/// may be recorded.
class PhaseWatch {
 public:
  /// The first phase begins. `records`: this thread alone runs all phases, see WorkRecorder;
  /// `workers` are those of the schedules.
  PhaseWatch(bool records, Index workers);

  /// Ends a phase, and another one begins.
  PhaseTime end_phase();

 private:
  Stopwatch watch_;
  std::unique_ptr<WorkReport> work_;  ///< of the phase at hand, where the recorder finds it
  std::unique_ptr<WorkRecorder> recorder_;
};

/// Returns the makespan of the list schedule of recorded work on so many workers of the machine
/// that has recorded it. In a simulation they are those of the simulated machine, on whose clock
/// these seconds pass meanwhile.
double let_pass(const WorkRecord& work, Index workers);

}  // namespace espalier::internal
