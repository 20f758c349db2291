// SPDX-License-Identifier: BSD-3-Clause
#include "perfmodels/host_load.hpp"

#include <algorithm>

#include "simulated/perfmodels/simulated_machine.hpp"

namespace espalier::internal {

/// Returns the smallest load factors. A task takes less time while few workers are busy than while
/// all are.
HostLoad least_host_load(Index workers) {
  const MachineFile& machine = simulated_machine();
  HostLoad least{machine.time_at(1), 1};
  double fastest = 0;  // number of one-second tasks that end per second
  for (Index busy = 1; busy <= workers; ++busy) {
    const double time = std::min(machine.time_at(busy), machine.time_at(busy, true));
    least.alone = std::min(least.alone, time);
    fastest = std::max(fastest, busy / time);
  }
  if (fastest > 0) least.together = workers / fastest;
  return least;
}

}  // namespace espalier::internal
