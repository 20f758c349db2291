// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "codelets/arguments.hpp"

namespace espalier::support {

/// A worker with a workspace for structures of up to n rows.
struct SampleWorker {
  Workspace workspace;
  Worker worker{reference::kernels, workspace};

  explicit SampleWorker(Index n) {
    workspace.buffer = Buffer(update_buffer_entries);
    workspace.position.resize(n, -1);
    workspace.row_map.resize(n, -1);
    workspace.column_map.resize(n, -1);
  }
  SampleWorker(const SampleWorker&) = delete;
  SampleWorker& operator=(const SampleWorker&) = delete;
};

/// Runs a task as `size` workers would together, the last one first.
template <class Task>
void run_in_slices(const Task& task, TaskData data, Worker worker, Index size) {
  for (Index rank = size; rank-- > 0;) {
    worker.slice = {rank, size};
    task.run(data, worker);
  }
}

}  // namespace espalier::support
