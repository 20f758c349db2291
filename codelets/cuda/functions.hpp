// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "base/task_kind.hpp"
#include "espalier/types.hpp"

/// CUDA devices, as everything outside of this folder sees them. Where the library is built without
/// CUDA there are none.
namespace espalier::internal::cuda {

/// Whether the library is built with CUDA, be there a device or not.
bool is_built();

/// Returns how many devices this process has.
Index devices();

/// What StarPU calls for a task.
using Function = void (*)(void* buffers[], void* argument);

/// Returns the function for tasks of this kind, which starts it on the stream of the CUDA worker;
/// null where there is none.
Function function(TaskKind kind);

/// Throws RuntimeFailure where a device failed in a task since the last call. Call it when the
/// tasks are done: they ended early then.
void expect_no_failure();

/// Returns how a device failed, in a task or, under this thread, elsewhere; empty where none did.
/// This is for whoever is told that StarPU, which aborts when a device fails under it, ends the
/// process.
std::string last_failure();

/// While one of these exists CUDA workers have all that these functions need. StarPU runs, and is
/// not paused, when one is made and when it ends. Throws RuntimeFailure where a device fails.
class DeviceContexts {
 public:
  DeviceContexts();
  // NOLINTNEXTLINE(performance-trivially-destructible): where there is CUDA it is not
  ~DeviceContexts();
  DeviceContexts(const DeviceContexts&) = delete;
  DeviceContexts& operator=(const DeviceContexts&) = delete;
};

}  // namespace espalier::internal::cuda
