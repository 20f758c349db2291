// SPDX-License-Identifier: BSD-3-Clause
#include <simgrid/engine.h>

#include "base/clock.hpp"

namespace espalier::internal {

/// Returns the time on the clock of the simulated machine.
double steady_seconds() { return simgrid_get_clock(); }

}  // namespace espalier::internal
