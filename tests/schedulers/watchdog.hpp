// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <unistd.h>

namespace espalier::internal::support {

/// Ends the process where a test under a scheduler hangs, which takes seconds on a machine of its
/// own.
class Watchdog {
 public:
  Watchdog() { alarm(patience_seconds); }
  ~Watchdog() { alarm(0); }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  static constexpr unsigned patience_seconds = 240;
};

}  // namespace espalier::internal::support
