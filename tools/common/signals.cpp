// SPDX-License-Identifier: BSD-3-Clause
#include "common/signals.hpp"

#include <semaphore.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <mutex>
#include <string_view>
#include <thread>

namespace espalier {

namespace {

std::atomic<int> received = 0;
sem_t arrived;
std::timed_mutex writing;

/// Only remembers the signal: a handler may do little, and runs on any thread.
void on_signal(int signal) {
  received = signal;
  sem_post(&arrived);
}

/// Every further write to a regular file fails, as SIGXFSZ is ignored.
void forbid_writing() {
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = 0;
  setrlimit(RLIMIT_FSIZE, &limit);
}

/// Waits for a signal and ends the program; a write that hangs, as to a pipe, is not waited for
/// long.
void watch() {
  while (sem_wait(&arrived) != 0) {
  }
  forbid_writing();
  std::unique_lock lock(writing, std::chrono::seconds(1));
  const std::string_view message =
      isatty(STDERR_FILENO) ? "\r\033[Kespalier: interrupted\n" : "espalier: interrupted\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, message.data(), message.size());
  _exit(128 + received);
}

}  // namespace

void exit_on_signals() {
  sem_init(&arrived, 0, 0);
  std::signal(SIGXFSZ, SIG_IGN);
  for (const int signal : std::array{SIGINT, SIGTERM, SIGHUP}) {
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

OutputSection::OutputSection() { writing.lock(); }

OutputSection::~OutputSection() {
  writing.unlock();
  while (received != 0) pause();
}

}  // namespace espalier
