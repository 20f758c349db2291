// SPDX-License-Identifier: BSD-3-Clause
#include <starpu.h>

#include "base/parallel.hpp"
#include "perfmodels/phase_watch.hpp"
#include "simulated/perfmodels/simulated_machine.hpp"

namespace espalier::internal {

/// A computation takes the time that it took on this machine, multiplied by two factors of the
/// simulated machine: its scale, and the load of its busy workers.
double let_pass(const WorkRecord& work, Index workers) {
  const MachineFile& machine = simulated_machine();
  const auto time_at = [&](Index busy) { return machine.analysis_scale * machine.time_at(busy); };
  const double seconds =
      work.replay({workers, machine.analysis_scale * thread_start_seconds, time_at});
  starpu_sleep(static_cast<float>(seconds));
  return seconds;
}

}  // namespace espalier::internal
