// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "codelets/task_list.hpp"

namespace espalier::internal::support {

/// Returns the begin and the end of the tasks of each level, in time.
inline std::map<Index, std::pair<double, double>> times_by(Index Shape::*level,
                                                           const TaskList& list) {
  std::map<Index, std::pair<double, double>> times;
  for (const BoundTask& task : list.task) {
    const auto own = std::pair(task.record.begin, task.record.end);
    auto& [begin, end] = times.try_emplace(task.shape.*level, own).first->second;
    begin = std::min(begin, own.first);
    end = std::max(end, own.second);
  }
  return times;
}

/// Expects that all tasks of a level end before the next level begins. Returns the number of
/// levels.
inline std::size_t expect_barriers(Index Shape::*level, const TaskList& list) {
  double barrier = 0;
  const auto times = times_by(level, list);
  for (const auto& [number, time] : times) {
    EXPECT_GE(number, 0);
    EXPECT_GE(time.first, barrier) << "level " << number;
    barrier = time.second;
  }
  return times.size();
}

}  // namespace espalier::internal::support
