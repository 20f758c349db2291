// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace espalier::internal {

/// Makes SIGINT (Ctrl-C), SIGTERM, SIGHUP, SIGQUIT and SIGXCPU end the program with 128 plus their
/// number. Incomplete files are removed. Ignored signals stay ignored. Must be called once.
///
/// - SIGUSR1 does the same without a message, because its sender prints the reason.
/// - SIGPIPE also ends the program without a message, by the signal itself. On ranks it only makes
///   a write fail, because MPI writes to ranks that have ended.
/// - A file that exceeds its size limit also only makes a write fail.
void exit_on_signals();

/// How a signal ends the program.
struct Ending {
  std::string message;  ///< one line; no message if empty
  int code = 0;
  /// Time at which the program ends; the message is printed immediately.
  std::chrono::steady_clock::time_point leaves{};
  std::function<void()> parting{};  ///< called just before the program ends
};

/// Returns the ending that exit_on_signals() describes. If there are several ranks and no RankGuard
/// yet, only rank 0 prints the reason. SIGTERM is silent then, because mpirun sends it after
/// another rank has ended and printed the reason.
Ending usual_ending(int signal);

/// While this object exists, `f` decides how a signal ends the program. A separate thread calls
/// `f`. If several objects exist, the innermost counts.
class SignalEnding {
 public:
  explicit SignalEnding(std::function<Ending(int signal)> f);
  ~SignalEnding();
  SignalEnding(const SignalEnding&) = delete;
  SignalEnding& operator=(const SignalEnding&) = delete;

 private:
  std::function<Ending(int)> f_;
  const std::function<Ending(int)>* outer_;
};

/// Makes the program end with one line and code 7 if StarPU aborts because a CUDA device failed,
/// for example in a copy. StarPU may have printed more before.
void tell_device_failures();

}  // namespace espalier::internal
