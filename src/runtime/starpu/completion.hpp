// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <mutex>
#include <utility>

#include "espalier/types.hpp"
#include "runtime/starpu/mutex.hpp"

namespace espalier::internal {

/// Counter of unfinished tasks. A thread that waits for them sleeps, and is woken once, when enough
/// tasks have ended.
class Completion {
 public:
  Completion() = default;
  /// `when_idle` runs in the thread that ends the last task, before waiting threads are woken.
  explicit Completion(std::function<void()> when_idle) : when_idle_(std::move(when_idle)) {}

  /// Counts a task that begins. Returns true if no other task is unfinished.
  bool begin_one() {
    const std::lock_guard lock(mutex_);
    return pending_++ == 0;
  }
  void end_one() {
    const std::lock_guard lock(mutex_);
    --pending_;
    if (pending_ == 0 && when_idle_) when_idle_();
    if (pending_ > wake_at_) return;
    wake_at_ = nobody;
    changed_.notify_all();
  }
  /// Waits until at most `limit` tasks are unfinished.
  void wait(Count limit = 0) {
    const std::lock_guard lock(mutex_);
    while (pending_ > limit) {
      if (wake_at_ < limit) wake_at_ = limit;
      changed_.wait(mutex_);
    }
  }

  /// Counts as an unfinished task during its lifetime, so that the counter is not zero while tasks
  /// are being submitted.
  class Hold {
   public:
    explicit Hold(Completion& completion)
        : completion_(completion), from_idle_(completion.begin_one()) {}
    ~Hold() { completion_.end_one(); }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    /// Returns whether no task was unfinished before.
    bool from_idle() const { return from_idle_; }

   private:
    Completion& completion_;
    bool from_idle_;
  };

 private:
  static constexpr Count nobody = -1;
  std::function<void()> when_idle_;
  Mutex mutex_;
  Condition changed_;
  Count pending_ = 0;
  Count wake_at_ = nobody;  ///< largest limit that a thread waits for
};

}  // namespace espalier::internal
