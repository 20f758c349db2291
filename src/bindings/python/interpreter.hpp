// SPDX-License-Identifier: BSD-3-Clause
#pragma once

struct _ts;  // Python's PyThreadState

namespace espalier::internal {

/// Releases Python's lock for the time of a call of the library. Python ends a daemon thread that
/// asks for the lock after the main thread has begun to end the interpreter, by an exception that
/// no destructor lets through. So after end_calls() every thread but the main one stays in this
/// destructor, or in the constructor, until the process ends.
class Unlocked {
 public:
  /// The thread has Python's lock.
  Unlocked();
  ~Unlocked();
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  _ts* state_;
};

/// Waits for the calls of other threads to end and lets none of these threads return to Python, nor
/// begin a call. The thread that calls this may go on to call the library. It has Python's lock,
/// which is free meanwhile.
void end_calls();

}  // namespace espalier::internal
