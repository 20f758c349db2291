// SPDX-License-Identifier: BSD-3-Clause
#include "base/backoff.hpp"

namespace espalier::internal {

/// Does nothing. A waiting thread takes no core from other threads, because SimGrid runs one thread
/// at a time.
void Backoff::pause() {}

Backoff& backoff_of_thread() {
  static Backoff backoff(Backoff::Duration::zero());
  return backoff;
}

void sleep_precisely(std::chrono::nanoseconds /*time*/) {}

}  // namespace espalier::internal
