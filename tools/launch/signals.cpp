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
#include "matrix/pending_file.hpp"

namespace espalier::internal {

namespace {

std::atomic<int> received = 0;
sem_t arrived;
std::mutex choosing;  ///< guards `chosen_ending`
const std::function<Ending(int)>* chosen_ending = nullptr;

/// Only remembers the signal: a handler may do little, and runs on any thread. Who has written to a
/// pipe that nobody reads does not come back to tell that as a failure.
void on_signal(int signal) {
  received = signal;
  sem_post(&arrived);
  if (signal == SIGPIPE) {
    for (;;) pause();
  }
}

/// Ends the program by the signal itself.
void die_of(int signal) {
  std::signal(signal, SIG_DFL);
  raise(signal);
}

Ending ending() {
  const int signal = received;
  if (chosen_ending != nullptr) return (*chosen_ending)(signal);
  return usual_ending(signal);
}

/// Waits for a signal and ends the program; files that are just appearing are waited for, but not
/// for long, as they may be on a machine that does not answer.
void watch() {
  while (sem_wait(&arrived) != 0) {
  }
  remove_pending_files(std::chrono::seconds(1));
  const std::lock_guard lock(choosing);  // what has chosen the ending stays until that
  const Ending end = ending();
  if (!end.message.empty()) {
    const std::string clear = isatty(STDERR_FILENO) ? "\r\033[K" : "";
    const std::string line = clear + "espalier: " + end.message + "\n";
    [[maybe_unused]] const auto written = write(STDERR_FILENO, line.data(), line.size());
  }
  std::this_thread::sleep_until(end.leaves);
  if (end.parting) end.parting();
  if (received == SIGPIPE) die_of(SIGPIPE);
  _exit(end.code);
}

}  // namespace

Ending usual_ending(int signal) {
  const bool is_told_elsewhere = launched_ranks() > 1 && (signal == SIGTERM || launched_rank() > 0);
  const bool silent = is_told_elsewhere || signal == SIGUSR1 || signal == SIGPIPE;
  const char* const why = signal == SIGXCPU
                              ? "the limit on time of the CPU is reached; raise it by ulimit -t"
                              : "interrupted";
  return {silent ? "" : why, 128 + signal};
}

void exit_on_signals() {
  sem_init(&arrived, 0, 0);
  std::signal(SIGXFSZ, SIG_IGN);
  // The thread that writes to a rank that is gone has MPI's locks: it may not stop in on_signal().
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

}  // namespace espalier::internal
