// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "codelets/task_list.hpp"
#include "espalier/report.hpp"

namespace espalier::internal {

/// Numbers of waiting and of ready tasks in the middle of each of 64 equal parts of a
/// factorization: the sizes of LTQ and RTQ (symPACK, section 3.4), summed over all workers of a
/// process.
struct QueueSizes {
  static constexpr std::size_t samples = 64;

  double seconds = 0;  ///< time of the factorization; 0 if the policy does not have such queues
  std::array<Count, samples> waiting{};
  std::array<Count, samples> ready{};

  /// Adds the sizes to the report, if the policy has such queues.
  void describe(Index rank, Report& report) const;
};

/// Returns the sizes in a run of `seconds` seconds that began at time `begin` of steady_seconds().
/// The sizes come from the times that the policy and the workers recorded in the tasks. Cost
/// O(tasks).
QueueSizes queue_sizes(std::span<const BoundTask> tasks, double begin, double seconds);

}  // namespace espalier::internal
