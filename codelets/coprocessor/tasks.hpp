// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "codelets/payload/task_payload.hpp"

namespace espalier::internal::coprocessor {

/// What a coprocessor's worker needs beside the message and the data of its task.
struct DeviceContext {
  const Kernels& kernels;
  std::span<double> buffer;       ///< update_buffer_entries
  std::vector<double>& diagonal;  ///< result of D: that of L, NaN where the pivot failed
};

/// Has the same effect on the data as the task on a CPU, but for the entries of A, which are there
/// already. The process knows of no failure but by its data: returns false where what the task
/// reads is marked, and marks what it would have written; a D whose pivot failed marks its tile.
bool run(const TaskPayload& payload, TaskData data, const DeviceContext& context);

}  // namespace espalier::internal::coprocessor
