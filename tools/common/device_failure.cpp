// SPDX-License-Identifier: BSD-3-Clause
#include "common/device_failure.hpp"

#include <unistd.h>

#include <csignal>
#include <string>

#include "codelets/cuda/functions.hpp"
#include "espalier/error.hpp"

namespace espalier {

namespace {

/// abort() calls it on the thread that gives up, like a function, so that it may do more than
/// handlers of signals that come at any time. Where it returns, abort() ends the program.
void on_abort(int signal) {
  std::signal(signal, SIG_DFL);
  const std::string failure = cuda::last_failure();
  if (failure.empty()) return;
  const std::string line = "espalier: " + failure + "\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, line.data(), line.size());
  _exit(static_cast<int>(ErrorCode::device));
}

}  // namespace

void tell_device_failures() { std::signal(SIGABRT, on_abort); }

}  // namespace espalier
