// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/clock.hpp"
#include "runtime/communicator.hpp"

namespace espalier {

/// What to add to this rank's clock for what the root's shows: by the fastest of some messages
/// there and back, and off by less than half of the time that one takes. Collective.
double behind_root(const Communicator& comm, double (*clock)() = steady_seconds);

}  // namespace espalier
