// SPDX-License-Identifier: BSD-3-Clause

#include "report/queue_sizes.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace espalier::internal {

namespace {

/// Counts the tasks in a queue at each sample.
class Counter {
 public:
  explicit Counter(double seconds) : part_(seconds / QueueSizes::samples) {}

  void add(double comes, double leaves) {
    ++change_[first_after(comes)];
    --change_[first_after(leaves)];
  }
  std::array<Count, QueueSizes::samples> counts() const {
    std::array<Count, QueueSizes::samples> sizes{};
    std::partial_sum(change_.begin(), change_.end() - 1, sizes.begin());
    return sizes;
  }

 private:
  std::size_t first_after(double time) const {
    constexpr double middle = 0.5;
    const double sample = std::ceil(time / part_ - middle);
    return static_cast<std::size_t>(
        std::clamp(sample, 0.0, static_cast<double>(QueueSizes::samples)));
  }

  double part_;
  std::array<Count, QueueSizes::samples + 1>
      change_{};  ///< the last element is for times after all samples
};

}  // namespace

QueueSizes queue_sizes(std::span<const BoundTask> tasks, double begin, double seconds) {
  Counter waiting(seconds);
  Counter ready(seconds);
  bool known = false;
  for (const BoundTask& task : tasks) {
    const QueueRecord& queued = task.queued;
    if (queued.ready < 0 || !(seconds > 0)) continue;
    known = true;
    waiting.add(queued.submitted - begin, queued.ready - begin);
    ready.add(queued.ready - begin, std::max(queued.ready - begin, task.record.begin));
  }
  if (!known) return {};
  return {seconds, waiting.counts(), ready.counts()};
}

void QueueSizes::describe(Index rank, Report& report) const {
  if (seconds == 0) return;
  report.scheduler.queue_sizes.push_back(
      {rank, seconds / samples, {waiting.begin(), waiting.end()}, {ready.begin(), ready.end()}});
}

}  // namespace espalier::internal
