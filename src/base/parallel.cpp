// SPDX-License-Identifier: BSD-3-Clause
#include "base/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "base/work_recorder.hpp"

namespace espalier::internal {

namespace {

/// State that the threads of one call share.
class Tasks {
 public:
  Tasks(Index count, const std::function<void(Index)>& body) : count_(count), body_(body) {}

  void run() {
    try {
      for (Count task = next_++; task < count_; task = next_++) body_(static_cast<Index>(task));
    } catch (...) {
      next_ = count_;
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
  }

  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  const Count count_;
  const std::function<void(Index)>& body_;
  std::atomic<Count> next_{0};
  std::mutex mutex_;
  std::exception_ptr failure_;
};

/// Starts up to `count` threads, or fewer if the system refuses more.
std::vector<std::jthread> start_threads(Index count, Tasks& tasks) {
  std::vector<std::jthread> threads;
  try {
    for (Index k = 0; k < count; ++k) threads.emplace_back([&] { tasks.run(); });
  } catch (const std::system_error&) {
  }
  return threads;
}

void run_recorded(WorkRecorder& recorder, Index tasks, Index threads,
                  const std::function<void(Index)>& body) {
  recorder.open_section(threads);
  const Index first = recorder.add_task();
  for (Index task = 1; task < tasks; ++task) recorder.add_task();
  for (Index task = 0; task < tasks; ++task) {
    recorder.run_task(first + task, [&] { body(task); });
  }
  recorder.close_section();
}

}  // namespace

void parallel_for(Index tasks, Index workers, const std::function<void(Index)>& body) {
  if (workers <= 1 || tasks <= 1) {
    for (Index task = 0; task < tasks; ++task) body(task);
    return;
  }
  if (WorkRecorder* const recorder = WorkRecorder::current()) {
    return run_recorded(*recorder, tasks, std::min(workers, tasks), body);
  }
  Tasks shared(tasks, body);
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
