// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "base/thread_team.hpp"
#include "codelets/payload/task_payload.hpp"

namespace espalier::internal::coprocessor {

/// What a coprocessor's worker needs beside the message and the data of its task.
struct DeviceContext {
  const Kernels& kernels;
  std::span<double> buffer;       ///< update_buffer_entries for each thread
  std::vector<double>& diagonal;  ///< result of D: that of L, NaN where the pivot failed
  ThreadTeam* team = nullptr;     ///< who does the task together; null: the calling thread alone
};

/// Has the same effect on the data as the task on a CPU, but for the entries of A, which are there
/// already. A team divides the rows that the task writes, in D those of each panel of columns (the
/// combined POTRF of swCholesky, section 3.3.2); an X is done by its first member. The process
/// knows of no failure but by its data: returns false where what the task reads is marked, and
/// marks what it would have written; a D whose pivot failed marks its tile.
bool run(const TaskPayload& payload, TaskData data, const DeviceContext& context);

/// Says whether several threads do a task of this shape sooner than one.
bool is_worth_a_team(const Shape& shape);

}  // namespace espalier::internal::coprocessor
