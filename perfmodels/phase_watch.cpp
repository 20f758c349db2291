// SPDX-License-Identifier: BSD-3-Clause
#include "perfmodels/phase_watch.hpp"

#include <utility>

namespace espalier::internal {

PhaseWatch::PhaseWatch(bool records, Index workers) {
  if (!records) return;
  work_ = std::make_unique<WorkReport>();
  recorder_ =
      std::make_unique<WorkRecorder>([phase = work_.get(), workers](const WorkRecord& work) {
        phase->seconds += work.work();
        phase->span_seconds += work.span();
        phase->scheduled_seconds += let_pass(work, workers);
      });
}

PhaseTime PhaseWatch::end_phase() {
  PhaseTime time;
  if (recorder_) {
    recorder_->settle();
    time.work = std::exchange(*work_, {});
  }
  time.seconds = watch_.restart();
  return time;
}

}  // namespace espalier::internal
