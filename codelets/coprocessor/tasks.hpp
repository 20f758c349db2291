// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "base/thread_team.hpp"
#include "codelets/payload/task_payload.hpp"

namespace espalier::internal::coprocessor {

/// Data of a coprocessor's worker in addition to the message and the data of its task.
struct DeviceContext {
  const Kernels& kernels;
  std::span<double> buffer;  ///< update_buffer_entries per thread
  /// Results in addition to the seconds. D returns the diagonal of L, with NaN if the pivot check
  /// failed. F returns signs: see PivotSigns::take().
  std::vector<double>& results;
  /// Threads that run the task together; null: the calling thread alone.
  ThreadTeam* team = nullptr;
};

/// Runs a task with the same effect on its data as on a CPU. The entries of A must already be in
/// the data.
///
/// A team divides the rows that the task writes. In D it divides the rows of each panel of columns
/// (the combined POTRF of swCholesky, section 3.3.2). The first member alone runs an X.
///
/// A coprocessor learns of a failure elsewhere only from the data that the task reads. If they are
/// marked, this function marks the data that the task should have written and returns false. If a
/// pivot check of D fails, the function marks the tile. A = L J Lᵀ needs tiles that carry their
/// pivots: F applies the swaps and rotations, and F, U and A take the signs.
bool run(const TaskPayload& payload, TaskData data, const DeviceContext& context);

/// Returns whether several threads finish a task of this shape sooner than one thread.
bool is_worth_a_team(const Shape& shape);

}  // namespace espalier::internal::coprocessor
