// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "codelets/context.hpp"

namespace espalier::support {

/// A worker with a workspace for structures of up to n rows.
struct SampleWorker {
  Workspace workspace;
  Worker worker{reference::kernels, workspace};

  explicit SampleWorker(Index n) {
    workspace.buffer = Buffer(update_buffer_entries);
    workspace.position.resize(n, -1);
    workspace.row_map.resize(n, -1);
  }
  SampleWorker(const SampleWorker&) = delete;
  SampleWorker& operator=(const SampleWorker&) = delete;
};

}  // namespace espalier::support
