// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <starpu.h>

#include <algorithm>

#include "codelets/task_list.hpp"

namespace espalier::internal {

/// Maps the priorities of a list, in seconds, to the integers that the policy allows.
class PriorityScale {
 public:
  /// The policy is that of the calling thread's scheduling context. Cost O(tasks).
  explicit PriorityScale(const TaskList& list)
      : least_(std::max(starpu_sched_get_min_priority(), -most_levels)),
        most_(std::min(starpu_sched_get_max_priority(), most_levels)) {
    for (const BoundTask& task : list.task) longest_ = std::max(longest_, task.shape.path);
  }

  int operator()(float seconds) const {
    if (longest_ <= 0) return least_;
    return least_ + static_cast<int>(static_cast<float>(most_ - least_) * (seconds / longest_));
  }

 private:
  static constexpr int most_levels = 100000;
  int least_;
  int most_;
  float longest_ = 0;
};

}  // namespace espalier::internal
