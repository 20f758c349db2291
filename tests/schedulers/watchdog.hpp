// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <unistd.h>

namespace espalier::internal::support {

/// Ends the process if a test of a scheduler hangs. The tests take seconds on an idle machine.
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
