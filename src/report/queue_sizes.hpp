// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "codelets/task_list.hpp"
#include "espalier/report.hpp"

namespace espalier::internal {

/// How many tasks wait, and how many are ready, in the middle of equal parts of a factorization:
/// the sizes of LTQ and RTQ (symPACK, section 3.4) of all workers of a process together.
struct QueueSizes {
  static constexpr std::size_t samples = 64;

  double seconds = 0;  ///< what they are samples of; 0: the policy has no such queues
  std::array<Count, samples> waiting{};
  std::array<Count, samples> ready{};

  /// Adds them to the report, where there are any.
  void describe(Index rank, Report& report) const;
};

/// Returns the sizes in a run of so many seconds, which began when steady_seconds() showed `begin`,
/// by what the policy and the workers entered of the tasks. Cost O(tasks).
QueueSizes queue_sizes(std::span<const BoundTask> tasks, double begin, double seconds);

}  // namespace espalier::internal
