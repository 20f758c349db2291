// SPDX-License-Identifier: BSD-3-Clause
#include "base/backoff.hpp"

namespace espalier::internal {

/// A thread that waits in a simulation takes no core from others: SimGrid runs one thread at a
/// time.
void Backoff::pause() {}

Backoff& backoff_of_thread() {
  static Backoff backoff(Backoff::Duration::zero());
  return backoff;
}

void sleep_precisely(std::chrono::nanoseconds /*time*/) {}

}  // namespace espalier::internal
