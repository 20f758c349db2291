// SPDX-License-Identifier: BSD-3-Clause

#include "launch/signals.hpp"

#include <semaphore.h>
#include <sys/resource.h>
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

namespace espalier::internal {

namespace {

std::atomic<int> received = 0;
sem_t arrived;
std::timed_mutex writing;
std::mutex choosing;  ///< guards `chosen_ending`
const std::function<Ending(int)>* chosen_ending = nullptr;

/// Only remembers the signal: a handler may do little, and runs on any thread.
void on_signal(int signal) {
  received = signal;
  sem_post(&arrived);
}

/// Makes every further write to a regular file fail, as SIGXFSZ is ignored.
void forbid_writing() {
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = 0;
  setrlimit(RLIMIT_FSIZE, &limit);
}

Ending ending() {
  const std::lock_guard lock(choosing);
  const int signal = received;
  if (chosen_ending != nullptr) return (*chosen_ending)(signal);
  return usual_ending(signal);
}

/// Waits for a signal and ends the program; a write that hangs, as to a pipe, is not waited for
/// long.
void watch() {
  while (sem_wait(&arrived) != 0) {
  }
  forbid_writing();
  const Ending end = ending();
  std::unique_lock lock(writing, std::chrono::seconds(1));
  if (!end.message.empty()) {
    const std::string clear = isatty(STDERR_FILENO) ? "\r\033[K" : "";
    const std::string line = clear + "espalier: " + end.message + "\n";
    [[maybe_unused]] const auto written = write(STDERR_FILENO, line.data(), line.size());
  }
  std::this_thread::sleep_until(end.leaves);
  _exit(end.code);
}

}  // namespace

Ending usual_ending(int signal) { return {signal == SIGUSR1 ? "" : "interrupted", 128 + signal}; }

void exit_on_signals() {
  sem_init(&arrived, 0, 0);
  std::signal(SIGXFSZ, SIG_IGN);
  for (const int signal : std::array{SIGINT, SIGTERM, SIGHUP, SIGUSR1}) {
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

OutputSection::OutputSection() { writing.lock(); }

OutputSection::~OutputSection() {
  writing.unlock();
  while (received != 0) pause();
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
