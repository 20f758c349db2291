// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "espalier/types.hpp"

namespace espalier {

/// No graph ends before its longest path has, nor before all have done their share of the work.
/// While the share is longer, by more than a task takes, it does no harm to begin that task and to
/// put the path off: it counts twice, since predictions are off.
inline bool may_put_off(double path, double seconds, double share) {
  return path >= 0 && seconds >= 0 && path + 2 * seconds < share;
}

/// Ready tasks in two orders: all of them by falling priority, and those that a worker keeps by
/// when they came. `Task` is a pointer.
template <class Task>
class ReadyTasks {
 public:
  static constexpr int nobody = -1;

  struct Ready {
    Task task;
    int priority = 0;
    double path = -1;     ///< predicted seconds from its start to the end; negative where unknown
    double seconds = -1;  ///< of the task itself
  };

  /// So many seconds of work will be pushed. Negative: unknown.
  void expect(double seconds) { remaining_ += std::max(seconds, 0.0); }

  /// The keeper is the worker in whose cache some of the task's data may be, or nobody.
  void push(const Ready& ready, int keeper) {
    const Entry entry{ready, arrivals_++};
    all_.insert(entry);
    if (keeper == nobody) return;
    if (kept_.size() <= static_cast<std::size_t>(keeper)) kept_.resize(keeper + 1);
    kept_[keeper].push_back(entry);
  }

  void forget_keeper(int worker) {
    if (static_cast<std::size_t>(worker) < kept_.size()) kept_[worker].clear();
  }

  /// The last task that the worker keeps, where it may put off the first of all, which otherwise
  /// goes first; of those that can_execute(task). Null where there is none. Cost O(log tasks), and
  /// a call for each task passed over.
  template <class CanExecute>
  Task pop(int worker, Index workers, CanExecute can_execute) {
    const Entry* const own = last_kept(worker);
    if (own != nullptr && can_execute(own->task) &&
        may_put_off(all_.begin()->path, own->seconds, remaining_ / workers)) {
      return take(all_.find(*own));
    }
    const auto first = std::find_if(all_.begin(), all_.end(),
                                    [&](const Entry& entry) { return can_execute(entry.task); });
    return first == all_.end() ? nullptr : take(first);
  }

 private:
  struct Entry : Ready {
    std::uint64_t arrival;
    bool operator<(const Entry& other) const {
      return this->priority != other.priority ? this->priority > other.priority
                                              : arrival < other.arrival;
    }
  };

  /// Passes over those that went to others.
  const Entry* last_kept(int worker) {
    if (static_cast<std::size_t>(worker) >= kept_.size()) return nullptr;
    auto& kept = kept_[worker];
    while (!kept.empty() && !all_.contains(kept.back())) kept.pop_back();
    return kept.empty() ? nullptr : &kept.back();
  }

  Task take(typename std::set<Entry>::const_iterator entry) {
    const Task task = entry->task;
    remaining_ = std::max(0.0, remaining_ - std::max(entry->seconds, 0.0));
    all_.erase(entry);
    return task;
  }

  std::set<Entry> all_;
  std::vector<std::vector<Entry>> kept_;  ///< by worker
  std::uint64_t arrivals_ = 0;
  double remaining_ = 0;  ///< seconds of work expected, but not begun
};

}  // namespace espalier
