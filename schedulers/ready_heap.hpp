// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu_scheduler.h>

#include <cstdint>
#include <limits>
#include <queue>
#include <vector>

#include "espalier/types.hpp"

namespace espalier::internal {

inline bool is_device(int worker) { return starpu_worker_get_type(worker) != STARPU_CPU_WORKER; }

/// Returns whether the worker can execute the task. If so, sets the implementation that it will
/// use.
inline bool can_execute(int worker, starpu_task* task) {
  unsigned implementation = 0;
  if (starpu_worker_can_execute_task_first_impl(static_cast<unsigned>(worker), task,
                                                &implementation) == 0) {
    return false;
  }
  starpu_task_set_implementation(task, implementation);
  return true;
}

/// Ready tasks by falling rank. Tasks of equal rank are ordered by arrival.
class ReadyHeap {
 public:
  bool empty() const { return heap_.empty(); }
  Count size() const { return static_cast<Count>(heap_.size()); }

  void push(starpu_task* task, double rank) { heap_.push({rank, arrivals_++, task}); }

  /// Returns the first task without removing it, or null.
  starpu_task* first() const { return heap_.empty() ? nullptr : heap_.top().task; }

  /// Removes and returns the first task, or null.
  starpu_task* pop() {
    if (heap_.empty()) return nullptr;
    starpu_task* const first = heap_.top().task;
    heap_.pop();
    return first;
  }

  /// Removes and returns the first task that the worker can execute, or null. Cost O(log tasks) for
  /// this task and for each task passed over.
  starpu_task* pop_for(int worker) {
    return pop_if([worker](starpu_task* task) { return can_execute(worker, task); });
  }

  /// Removes and returns the first task for which may_take(task) is true, or null. Examines at most
  /// `most` tasks.
  template <class MayTake>
  starpu_task* pop_if(MayTake may_take,
                      std::size_t most = std::numeric_limits<std::size_t>::max()) {
    starpu_task* found = nullptr;
    while (!heap_.empty() && found == nullptr && passed_.size() < most) {
      if (may_take(heap_.top().task)) {
        found = heap_.top().task;
      } else {
        passed_.push_back(heap_.top());
      }
      heap_.pop();
    }
    for (const Entry& entry : passed_) heap_.push(entry);
    passed_.clear();
    return found;
  }

 private:
  struct Entry {
    double rank;
    std::uint64_t arrival;
    starpu_task* task;
    bool operator<(const Entry& other) const {
      return rank != other.rank ? rank < other.rank : arrival > other.arrival;
    }
  };
  std::priority_queue<Entry> heap_;
  std::vector<Entry> passed_;
  std::uint64_t arrivals_ = 0;
};

}  // namespace espalier::internal
