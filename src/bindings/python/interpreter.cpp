// SPDX-License-Identifier: BSD-3-Clause
#include "bindings/python/interpreter.hpp"

#include <Python.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>

namespace espalier::internal {

namespace {

/// Number of calls in progress. A call counts from before it releases the lock until after it has
/// taken the lock again.
std::atomic<int> calls{0};
/// Whether end_calls() was called, and the thread that called it.
std::atomic<bool> ended{false};
std::atomic<pthread_t> last_thread{};

[[noreturn]] void wait_for_the_end_of_the_process() {
  for (;;) pause();
}

bool may_return() { return !ended || pthread_equal(last_thread, pthread_self()) != 0; }

void end_call() {
  if (--calls == 0) calls.notify_all();
}

/// Resets the number in a forked process, because the threads of these calls do not exist there.
[[maybe_unused]] const int registered = pthread_atfork(nullptr, nullptr, [] { calls = 0; });

}  // namespace

Unlocked::Unlocked() {
  ++calls;
  state_ = PyEval_SaveThread();
  if (may_return()) return;
  end_call();
  wait_for_the_end_of_the_process();
}

Unlocked::~Unlocked() {
  if (!may_return()) {
    end_call();
    wait_for_the_end_of_the_process();
  }
  PyEval_RestoreThread(state_);
  end_call();
}

void end_calls() {
  PyThreadState* const state = PyEval_SaveThread();
  last_thread = pthread_self();
  ended = true;
  for (int in_progress = calls; in_progress > 0; in_progress = calls) calls.wait(in_progress);
  PyEval_RestoreThread(state);
}

}  // namespace espalier::internal
