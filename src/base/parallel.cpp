// SPDX-License-Identifier: BSD-3-Clause
#include "base/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace espalier {

namespace {

/// What the threads of one call share.
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

}  // namespace

void parallel_for(Index tasks, Index workers, const std::function<void(Index)>& body) {
  if (workers <= 1 || tasks <= 1) {
    for (Index task = 0; task < tasks; ++task) body(task);
    return;
  }
  Tasks shared(tasks, body);
  {
    std::vector<std::jthread> threads;
    for (Index k = 1; k < std::min(workers, tasks); ++k) {
      threads.emplace_back([&] { shared.run(); });
    }
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

}  // namespace espalier
