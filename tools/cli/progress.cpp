// SPDX-License-Identifier: BSD-3-Clause

#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "base/printable.hpp"

namespace espalier::internal {

namespace {
constexpr double show_after = 1;  ///< seconds
constexpr std::chrono::milliseconds interval(200);
constexpr const char* erase_line = "\r\033[K";
}  // namespace

Progress::Progress(bool wanted) {
  if (wanted && isatty(STDERR_FILENO)) thread_ = std::thread([this] { show_until_stopped(); });
}

Progress::~Progress() {
  end();
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Progress::begin(const std::string& phase) {
  end();
  const std::lock_guard lock(mutex_);
  phase_ = printable(phase);
  watch_.restart();
}

void Progress::end() {
  const std::lock_guard lock(mutex_);
  phase_.clear();
  if (!shown_) return;
  fmt::print(stderr, "{}", erase_line);
  shown_ = false;
}

void Progress::rename(const std::string& phase) {
  const std::lock_guard lock(mutex_);
  phase_ = printable(phase);
}

void Progress::show_until_stopped() {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, interval, [this] { return stopped_; })) {
    if (phase_.empty() || watch_.seconds() < show_after) continue;
    fmt::print(stderr, "{}{}: {:.0f} s", erase_line, phase_, watch_.seconds());
    shown_ = true;
  }
}

void Phases::begin(const std::string& name) {
  end();
  name_ = name;
  begin_ = now();
  progress_.begin(name);
}

void Phases::end() {
  progress_.end();
  if (!name_.empty()) ended_.push_back({name_, begin_, now()});
  name_.clear();
}

void Phases::divide(const std::vector<std::pair<std::string, double>>& parts) {
  double begin = begin_;
  for (const auto& [name, seconds] : parts) {
    ended_.push_back({name, begin, begin + seconds});
    begin += seconds;
  }
}

}  // namespace espalier::internal
