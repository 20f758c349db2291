// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <vector>

#include "espalier/types.hpp"
#include "schedulers/decide/memory_nodes.hpp"

namespace espalier::internal {

/// Returns whether a worker may run another task before the task with the longest path. The end of
/// the graph is bounded by its longest path and by each worker's share of the remaining work. The
/// path can wait if the share exceeds it by more than twice `seconds`, the length of the other
/// task. The factor of two is a margin, because predictions are inexact.
inline bool may_put_off(double path, double seconds, double share) {
  return path >= 0 && seconds >= 0 && path + 2 * seconds < share;
}

/// Work that was submitted and has not begun, in seconds on one CPU core.
class WorkAhead {
 public:
  /// Adds this many seconds of work; a negative number (unknown) adds nothing. Any thread may call
  /// this at any time.
  void expect(double seconds) { expected_ += std::max(seconds, 0.0); }
  /// Moves this many seconds from the work ahead to the work begun.
  void begin(double seconds) { begun_ += std::max(seconds, 0.0); }
  /// Returns each worker's share of the work that has not begun, in seconds.
  double share(Index workers) const {
    return (expected_.load(std::memory_order_relaxed) - begun_) / static_cast<double>(workers);
  }

 private:
  std::atomic<double> expected_{0};
  double begun_ = 0;
};

/// Ready tasks in two orders: all tasks by falling priority, and for each worker the tasks that it
/// keeps, by arrival. If a task is taken by one order, its entry in the other order becomes stale.
/// A stale entry stays until it reaches the front or until most entries are stale. `Task` is a
/// pointer.
template <class Task>
class ReadyTasks {
 public:
  static constexpr int nobody = -1;

  struct Ready {
    Task task = nullptr;
    int priority = 0;
    /// Predicted seconds from the start of the task to the end of the graph; negative: unknown.
    double path = -1;
    double seconds = -1;       ///< predicted seconds of the task on a CPU core; negative: unknown
    NodeCost here{0, 0};       ///< predicted cost on the memory node whose queue holds the task
    bool is_sent_for = false;  ///< copies of its data to that memory node were requested
  };

  /// Adds a task. The keeper is the worker whose cache may hold some of the task's data, or nobody.
  void push(const Ready& ready, int keeper) {
    const Place place{ready.priority, free_.empty() ? new_slot() : free_.back(), arrivals_++};
    if (!free_.empty()) free_.pop_back();
    slot_[place.slot] = {ready, place.arrival};
    order_.push_back(place);
    std::push_heap(order_.begin(), order_.end());
    if (keeper == nobody) return;
    if (kept_.size() <= static_cast<std::size_t>(keeper)) kept_.resize(keeper + 1);
    kept_[keeper].push_back(place);
  }

  void forget_keeper(int worker) {
    if (static_cast<std::size_t>(worker) < kept_.size()) kept_[worker].clear();
  }

  /// Removes and returns a task for which may_take(ready) is true: the last task that the worker
  /// keeps if may_put_off() allows it, else the task of highest priority. `share` is
  /// WorkAhead::share(). Returns a null task if no task qualifies. Cost: O(log tasks), plus a call
  /// and O(log tasks) for each task passed over.
  template <class MayTake>
  Ready pop(int worker, double share, MayTake may_take) {
    forget_those_gone();
    if (order_.empty()) return {};
    const Place* const own = last_kept(worker);
    if (own != nullptr && may_take(at(*own)) &&
        may_put_off(at(order_.front()).path, at(*own).seconds, share)) {
      return take(*own);
    }
    return pop_first(may_take);
  }

  /// Removes and returns the first task for which may_take(ready) is true and whose data have
  /// arrived. Examines at most `most` tasks. For each examined task whose data are missing,
  /// requests the data once: send_for(ready) returns whether it started the copies.
  template <class MayTake, class IsThere, class SendFor>
  Ready pop_arrived(MayTake may_take, IsThere is_there, SendFor send_for, std::size_t most) {
    return pop_first(
        [&](Ready& ready) {
          if (!may_take(ready)) return false;
          if (is_there(ready)) return true;
          if (!ready.is_sent_for) ready.is_sent_for = send_for(ready);
          return false;
        },
        most);
  }

  /// Removes and returns the first task for which may_take(ready) is true. Examines at most `most`
  /// tasks.
  template <class MayTake>
  Ready pop_first(MayTake may_take, std::size_t most = std::numeric_limits<std::size_t>::max()) {
    Ready found;
    passed_.clear();
    while (found.task == nullptr && !order_.empty() && passed_.size() < most) {
      const Place first = order_.front();
      drop_first();
      if (gone(first)) continue;
      if (may_take(slot_[first.slot])) {
        found = take(first);
      } else {
        passed_.push_back(first);
      }
    }
    for (const Place& place : passed_) {
      order_.push_back(place);
      std::push_heap(order_.begin(), order_.end());
    }
    return found;
  }

 private:
  struct Slot : Ready {
    std::uint64_t arrival;
  };
  static constexpr std::uint64_t empty = ~std::uint64_t{0};

  /// Entry of a task in an order. The entry is stale once the task was taken from its slot.
  struct Place {
    int priority;
    Index slot;
    std::uint64_t arrival;
    /// Returns whether this entry comes after the other one.
    bool operator<(const Place& other) const {
      return priority != other.priority ? priority < other.priority : arrival > other.arrival;
    }
  };

  Index new_slot() {
    slot_.emplace_back();
    return static_cast<Index>(slot_.size()) - 1;
  }
  const Slot& at(const Place& place) const { return slot_[place.slot]; }
  bool gone(const Place& place) const { return at(place).arrival != place.arrival; }

  void drop_first() {
    std::pop_heap(order_.begin(), order_.end());
    order_.pop_back();
  }

  /// Drops stale entries at the front, and all stale entries if they are the majority.
  void forget_those_gone() {
    constexpr std::size_t few = 64;
    const std::size_t there = slot_.size() - free_.size();
    if (order_.size() > 2 * there + few) {
      std::erase_if(order_, [&](const Place& place) { return gone(place); });
      std::make_heap(order_.begin(), order_.end());
    }
    while (!order_.empty() && gone(order_.front())) drop_first();
  }

  const Place* last_kept(int worker) {
    if (static_cast<std::size_t>(worker) >= kept_.size()) return nullptr;
    auto& kept = kept_[worker];
    while (!kept.empty() && gone(kept.back())) kept.pop_back();
    return kept.empty() ? nullptr : &kept.back();
  }

  Ready take(const Place& place) {
    Slot& slot = slot_[place.slot];
    slot.arrival = empty;
    free_.push_back(place.slot);
    return slot;
  }

  std::vector<Slot> slot_;
  std::vector<Index> free_;
  std::vector<Place> order_;              ///< a heap
  std::vector<std::vector<Place>> kept_;  ///< by worker
  std::vector<Place> passed_;             ///< reused by pop_first()
  std::uint64_t arrivals_ = 0;
};

}  // namespace espalier::internal
