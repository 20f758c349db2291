// SPDX-License-Identifier: BSD-3-Clause
#include "base/parallel.hpp"

#include <algorithm>
#include <system_error>
#include <thread>
#include <vector>

#include "base/work_recorder.hpp"

namespace espalier::internal {

void LoopTasks::run() {
  try {
    for (Count task = next_++; task < count_; task = next_++) body_(static_cast<Index>(task));
  } catch (...) {
    next_ = count_;
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
  }
}

void LoopTasks::rethrow() const {
  if (failure_) std::rethrow_exception(failure_);
}

namespace {

/// Starts up to `count` threads, or fewer if the system refuses more.
std::vector<std::jthread> start_threads(Index count, LoopTasks& tasks) {
  std::vector<std::jthread> threads;
  try {
    for (Index k = 0; k < count; ++k) threads.emplace_back([&] { tasks.run(); });
  } catch (const std::system_error&) {
  }
  return threads;
}

}  // namespace

void parallel_for(Index tasks, Index workers, const std::function<void(Index)>& body) {
  if (workers <= 1 || tasks <= 1) {
    for (Index task = 0; task < tasks; ++task) body(task);
    return;
  }
  if (WorkRecorder* const recorder = WorkRecorder::current()) {
    return recorder->run_section(tasks, std::min(workers, tasks), false, body);
  }
  LoopTasks shared(tasks, body);
  {
    const auto threads = start_threads(std::min(workers, tasks) - 1, shared);
    shared.run();
  }
  shared.rethrow();
}

void parallel_ranges(Index n, Index grain, Index workers,
                     const std::function<void(Index, Index)>& body) {
  constexpr Index ranges_a_worker = 8;
  const Count most = workers > 1 ? Count{workers} * ranges_a_worker : 1;
  const Count ranges = std::clamp<Count>(n / std::max<Index>(grain, 1), 1, most);
  parallel_for(static_cast<Index>(ranges), workers, [&](Index k) {
    const auto border = [&](Count i) { return static_cast<Index>(n * i / ranges); };
    if (border(k) < border(k + 1)) body(border(k), border(k + 1));
  });
}

}  // namespace espalier::internal
