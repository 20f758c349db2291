// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <vector>

#include "espalier/types.hpp"
#include "schedulers/decide/sides.hpp"

namespace espalier::internal {

/// No graph ends before its longest path has, nor before all have done their share of the work.
/// While the share is longer, by more than a task takes, it does no harm to begin that task and to
/// put the path off: it counts twice, since predictions are off.
inline bool may_put_off(double path, double seconds, double share) {
  return path >= 0 && seconds >= 0 && path + 2 * seconds < share;
}

/// Seconds of work that were submitted and not begun, by what it takes on CPU cores.
class WorkAhead {
 public:
  /// So many seconds of work will come. Negative: unknown. Any thread may say so at any time.
  void expect(double seconds) { expected_ += std::max(seconds, 0.0); }
  /// So many of them begin.
  void begin(double seconds) { begun_ += std::max(seconds, 0.0); }
  /// Returns the seconds for each of the workers.
  double share(Index workers) const {
    return (expected_.load(std::memory_order_relaxed) - begun_) / static_cast<double>(workers);
  }

 private:
  std::atomic<double> expected_{0};
  double begun_ = 0;
};

/// Ready tasks in two orders: all of them by falling priority, and those that a worker keeps by
/// when they came. What leaves by one order stays in the other until it is met there, or until most
/// of it is gone. `Task` is a pointer.
template <class Task>
class ReadyTasks {
 public:
  static constexpr int nobody = -1;

  struct Ready {
    Task task = nullptr;
    int priority = 0;
    double path = -1;     ///< predicted seconds from its start to the end; negative where unknown
    double seconds = -1;  ///< what the task itself is predicted to take on a CPU core
    SideCost here{0, 0};  ///< what it was predicted to take on the side that it waits for
    bool is_sent_for = false;  ///< copies of its data to that side were asked for
  };

  /// The keeper is the worker in whose cache some of the task's data may be, or nobody.
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

  /// Takes the last task that the worker keeps, where it may put off the first of all, which
  /// otherwise goes first; of those that may_take(ready). Each worker's `share` is what WorkAhead
  /// says. A null task where there is none. Cost O(log tasks), and as much again, with a call, for
  /// each task passed over.
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

  /// Takes the first task that may_take(ready) and whose data are there, of so many first ones. The
  /// data of those before it are sent for, once: send_for(ready) returns whether they are.
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

  /// Takes the first task that may_take(ready), of so many first ones.
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

  /// The place of a task, which has left it where another one came there, or none.
  struct Place {
    int priority;
    Index slot;
    std::uint64_t arrival;
    /// Returns whether it goes after the other one.
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

  /// Leaves one first that is there, and most others.
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
  std::vector<Place> passed_;             ///< memory of pop_first()
  std::uint64_t arrivals_ = 0;
};

}  // namespace espalier::internal
