// SPDX-License-Identifier: BSD-3-Clause

#include "launch/signals.hpp"

#include <semaphore.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "codelets/cuda/functions.hpp"
#include "espalier/error.hpp"
#include "launch/ranks.hpp"
#include "launch/scratch_folder.hpp"
#include "matrix/pending_file.hpp"

namespace espalier::internal {

namespace {

std::atomic<int> received = 0;
sem_t arrived;
std::mutex choosing;  ///< guards `chosen_ending`
const std::function<Ending(int)>* chosen_ending = nullptr;

/// Stores the signal. A signal handler may do little, and any thread may run it. After SIGPIPE the
/// writing thread stops here, so that it does not report a failed write.
void on_signal(int signal) {
  received = signal;
  sem_post(&arrived);
  if (signal == SIGPIPE) {
    for (;;) pause();
  }
}

/// Sets whether SIGPIPE waits instead of stopping the calling thread (SIG_BLOCK or SIG_UNBLOCK).
void hold_pipe_signals(int how) {
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(how, &pipe, nullptr);
}

/// Ends the program by SIGPIPE itself.
void die_of_closed_pipe() {
  std::signal(SIGPIPE, SIG_DFL);
  hold_pipe_signals(SIG_UNBLOCK);
  raise(SIGPIPE);
}

Ending ending() {
  const int signal = received;
  if (chosen_ending != nullptr) return (*chosen_ending)(signal);
  return usual_ending(signal);
}

/// Waits for a signal and ends the program. Waits up to a second for files that are just being
/// renamed, because their file system may not respond. If the reader of the message is gone, the
/// message is lost, but the program still ends.
void watch() {
  hold_pipe_signals(SIG_BLOCK);
  while (sem_wait(&arrived) != 0) {
  }
  remove_pending_files(std::chrono::seconds(1));
  // Keeps the object behind the chosen ending until this function returns.
  const std::lock_guard lock(choosing);
  const Ending end = ending();
  if (!end.message.empty()) {
    const std::string clear = isatty(STDERR_FILENO) ? "\r\033[K" : "";
    const std::string line = clear + "espalier: " + end.message + "\n";
    [[maybe_unused]] const auto written = write(STDERR_FILENO, line.data(), line.size());
  }
  std::this_thread::sleep_until(end.leaves);
  if (end.parting) end.parting();
  ScratchFolder::remove_all();
  if (received == SIGPIPE) die_of_closed_pipe();
  _exit(end.code);
}

}  // namespace

Ending usual_ending(int signal) {
  const bool is_reported_elsewhere =
      launched_ranks() > 1 && (signal == SIGTERM || launched_rank() > 0);
  const bool silent = is_reported_elsewhere || signal == SIGUSR1 || signal == SIGPIPE;
  const char* const why = signal == SIGXCPU
                              ? "the limit on CPU time is reached; raise it with ulimit -t"
                              : "interrupted";
  return {silent ? "" : why, 128 + signal};
}

void exit_on_signals() {
  sem_init(&arrived, 0, 0);
  std::signal(SIGXFSZ, SIG_IGN);
  // On ranks SIGPIPE is ignored. The thread that writes to an ended rank holds MPI's locks, so it
  // must not stop in on_signal().
  if (launched_ranks() > 1) std::signal(SIGPIPE, SIG_IGN);
  for (const int signal : std::array{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU, SIGPIPE, SIGUSR1}) {
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    if (action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigaction(signal, &action, nullptr);
  }
  std::thread(watch).detach();
}

SignalEnding::SignalEnding(std::function<Ending(int)> f) : f_(std::move(f)) {
  const std::lock_guard lock(choosing);
  outer_ = std::exchange(chosen_ending, &f_);
}

SignalEnding::~SignalEnding() {
  const std::lock_guard lock(choosing);
  chosen_ending = outer_;
}

namespace {

/// Handles SIGABRT. abort() calls it like a function on the failing thread, so it may do more than
/// other signal handlers. If it returns, abort() ends the program.
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

}  // namespace espalier::internal
