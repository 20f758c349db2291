// SPDX-License-Identifier: BSD-3-Clause
#pragma once

struct _ts;  // Python's PyThreadState

namespace espalier::internal {

/// Releases Python's lock during a call of the library. If a daemon thread requests the lock after
/// the main thread has begun to end the interpreter, Python ends the thread by an exception. This
/// exception must not pass through a destructor. So after end_calls() every thread except the main
/// thread stays in this constructor or destructor until the process ends.
class Unlocked {
 public:
  /// Releases the lock, which the thread must hold.
  Unlocked();
  ~Unlocked();
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  _ts* state_;
};

/// Waits until the calls of other threads have ended. Afterwards these threads neither return to
/// Python nor begin a call. The thread that calls this function may still call the library. It must
/// hold Python's lock, which is released during the wait.
void end_calls();

}  // namespace espalier::internal
