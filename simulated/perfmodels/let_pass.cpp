// SPDX-License-Identifier: BSD-3-Clause
#include <starpu.h>

#include "base/parallel.hpp"
#include "perfmodels/phase_watch.hpp"
#include "simulated/perfmodels/simulated_machine.hpp"

namespace espalier::internal {

/// A computation takes the time that it took on this machine, multiplied by two factors of the
/// simulated machine: its scale, and the load of its busy workers relative to that of one.
double let_pass(const WorkRecord& work, Index workers) {
  const MachineFile& machine = simulated_machine();
  const double scale = machine.analysis_scale.value_or(1);
  const auto time_at = [&](Index busy) {
    return scale * machine.time_at(busy) / machine.time_at(1);
  };
  const double seconds = work.replay({workers, scale * thread_start_seconds, time_at});
  starpu_sleep(static_cast<float>(seconds));
  return seconds;
}

}  // namespace espalier::internal
