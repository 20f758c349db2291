// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace espalier::internal {

/// Makes SIGINT (Ctrl-C), SIGTERM, SIGHUP, SIGQUIT and SIGXCPU end the program with 128 plus their
/// number, leaving nothing of files that are not complete. A signal that is ignored stays so.
/// SIGUSR1 does the same without a word: who sends it tells why. So does SIGPIPE, which the program
/// then dies of, as others do; on ranks it is a failed write alone, since MPI writes to ranks that
/// are gone. So is a file that grows beyond a limit. Call it once.
void exit_on_signals();

/// How a signal ends the program.
struct Ending {
  std::string message;  ///< one line; empty: silently
  int code = 0;
  std::chrono::steady_clock::time_point leaves{};  ///< ends then; the message is told at once
  std::function<void()> parting{};                 ///< is called just before it ends
};

/// Returns the ending that exit_on_signals() promises. Of several ranks that a RankGuard does not
/// guard yet, rank 0 alone says why it ends. Nobody says it of SIGTERM: mpirun sends it when
/// another rank has ended, which has told why.
Ending usual_ending(int signal);

/// While it lives, `f` says how the program ends when a signal comes, from a thread of its own.
/// They may be nested: the innermost counts.
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

/// Makes the program end with one line and code 7 where StarPU aborts it because a CUDA device
/// failed under its hands, as in a copy. StarPU itself may have told more before.
void tell_device_failures();

}  // namespace espalier::internal
