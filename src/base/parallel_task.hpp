// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "espalier/types.hpp"

namespace espalier::internal {

/// Returns the time that each of `workers` workers loses to a task that all of them run together,
/// in seconds. The leader copies the task and pushes it to each member, and each member counts
/// itself at two barriers. So the time grows with the number of members (experiment
/// `parallel-task`).
constexpr double parallel_task_seconds(Index workers) { return 4e-6 * workers; }

}  // namespace espalier::internal
