// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <condition_variable>
#include <mutex>

#include "espalier/types.hpp"

namespace espalier {

/// Counts tasks under way; whoever waits for them sleeps.
class Completion {
 public:
  void begin_one() {
    const std::lock_guard lock(mutex_);
    ++pending_;
  }
  void end_one() {
    const std::lock_guard lock(mutex_);
    --pending_;
    changed_.notify_all();
  }
  /// Until at most `limit` tasks are under way.
  void wait(Count limit = 0) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return pending_ <= limit; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  Count pending_ = 0;
};

}  // namespace espalier
