// SPDX-License-Identifier: BSD-3-Clause

#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "base/printable.hpp"
#include "ordering/automatic.hpp"

namespace espalier::internal {

namespace {
constexpr double show_after = 1;  ///< seconds
constexpr std::chrono::milliseconds interval(200);
constexpr const char* erase_line = "\r\033[K";

std::string rounded_time(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  if (seconds < 6000) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.0f} h", seconds / 3600);
}
}  // namespace

std::string progress_line(const PhaseState& phase) {
  const std::string line = fmt::format("{}: {:.0f} s", phase.name, phase.seconds);
  const double all = phase.share > 0 ? phase.share_seconds / phase.share : phase.expected;
  if (all <= 0) return line;
  if (phase.seconds >= all) return fmt::format("{}, {} expected", line, rounded_time(all));
  return fmt::format("{}, {:.0f} %, {} left", line, std::floor(100 * phase.seconds / all),
                     rounded_time(all - phase.seconds));
}

double expected_ordering_seconds(const Matrix& matrix, const AnalysisOptions& options) {
  const Count neighbours = 2 * (matrix.entries() - matrix.size());
  const double minimum_degree = minimum_degree_seconds(neighbours);
  const double dissection =
      dissection_seconds(matrix.size(), neighbours, std::max<Index>(options.workers, 1));
  if (options.ordering == "amd") return minimum_degree;
  if (options.ordering == "dissection") return dissection;
  return options.ordering == "auto" ? minimum_degree + dissection : 0;
}

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
  phase_ = {printable(phase)};
  watch_.restart();
}

void Progress::end() {
  const std::lock_guard lock(mutex_);
  phase_ = {};
  if (!shown_) return;
  fmt::print(stderr, "{}", erase_line);
  shown_ = false;
}

void Progress::rename(const std::string& phase) {
  const std::lock_guard lock(mutex_);
  phase_.name = printable(phase);
}

void Progress::expect(double seconds) {
  const std::lock_guard lock(mutex_);
  phase_.expected = seconds;
}

void Progress::done(double share) {
  const std::lock_guard lock(mutex_);
  phase_.share = share;
  phase_.share_seconds = watch_.seconds();
}

void Progress::show_until_stopped() {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, interval, [this] { return stopped_; })) {
    phase_.seconds = watch_.seconds();
    if (phase_.name.empty() || phase_.seconds < show_after) continue;
    fmt::print(stderr, "{}{}", erase_line, progress_line(phase_));
    shown_ = true;
  }
}

void Phases::begin(const std::string& name) {
  turn_to(name);
  progress_.begin(name);
}

void Phases::turn_to(const std::string& name) {
  end_recorded();
  name_ = name;
  begin_ = now();
}

void Phases::end() {
  progress_.end();
  end_recorded();
}

void Phases::end_recorded() {
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
