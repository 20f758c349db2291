// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <utility>

namespace espalier::internal {

/// A turn that tasks take one at a time, without waiting for it: a task that cannot have it is
/// queued, and gets it from the task that had it. Any number of threads may call take() at once.
/// A Queued has a member `after`, which the turn may use, and goes_before(other).
template <class Queued>
class Turn {
 public:
  /// Takes the turn and returns true, or queues the task.
  bool take(Queued& task) {
    Queued* seen = nullptr;
    while (true) {
      if (seen == nullptr) {
        if (come_.compare_exchange_weak(seen, taken(), std::memory_order_acquire)) return true;
      } else {
        task.after = seen;
        if (come_.compare_exchange_weak(seen, &task, std::memory_order_acq_rel)) return false;
      }
    }
  }

  /// Gives the turn to the queued task that goes before the others, and returns it. Without queued
  /// tasks, gives the turn up and returns null. The caller must have the turn. Cost O(queued tasks)
  /// for each task that was queued since the last call.
  Queued* pass_on() {
    Queued* seen = taken();
    while (sorted_ == nullptr) {
      if (come_.compare_exchange_weak(seen, nullptr, std::memory_order_acq_rel)) return nullptr;
      if (seen != taken()) sort_in(come_.exchange(taken(), std::memory_order_acq_rel));
    }
    if (seen == taken()) sort_in(come_.exchange(taken(), std::memory_order_acq_rel));
    return std::exchange(sorted_, sorted_->after);
  }

 private:
  /// Ends the list of tasks that have come. It is never dereferenced.
  Queued* taken() { return reinterpret_cast<Queued*>(this); }

  /// Moves the tasks that have come into the sorted queue.
  void sort_in(Queued* come) {
    while (come != taken()) {
      Queued* const next = come->after;
      Queued** place = &sorted_;
      while (*place != nullptr && !come->goes_before(**place)) place = &(*place)->after;
      come->after = std::exchange(*place, come);
      come = next;
    }
  }

  /// Null: nobody has the turn. Otherwise the tasks that have come since the last pass_on(), the
  /// last one first; taken() ends the list.
  std::atomic<Queued*> come_{nullptr};
  Queued* sorted_ = nullptr;  ///< used only by the task that has the turn
};

}  // namespace espalier::internal
