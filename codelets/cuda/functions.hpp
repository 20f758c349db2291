// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/task_kind.hpp"
#include "codelets/context.hpp"
#include "espalier/types.hpp"

/// CUDA devices, as everything outside of this folder sees them. Where the library is built without
/// CUDA there are none.
namespace espalier::internal::cuda {

/// Whether the library is built with CUDA, be there a device or not.
bool is_built();

/// Returns how many devices this process has.
Index devices();

/// What tells a device from all others of the machine, whatever numbers processes see it by: most
/// of its UUID.
using DeviceIdentity = std::array<unsigned, 4>;

/// Returns that of each device, in the order of their numbers. No entry is ~0U.
std::vector<DeviceIdentity> identities();

/// Throws RuntimeFailure where there is a driver that cannot serve this program, or one of these
/// devices cannot be used, for example because another process has it for itself. Who has no driver
/// has no device.
void expect_usable(std::span<const unsigned> devices);

/// Does the work on a thread of its own whose device is this one. CUDA makes a context, which takes
/// memory, for the device of a thread that calls it, and that is the first of the machine where
/// nobody has chosen: another rank's, perhaps. StarPU chooses for its own threads alone.
void with_device(unsigned device, const std::function<void()>& work);

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

/// A copy of memory of the host on each CUDA device that StarPU uses, which counts it as in use;
/// but none where that would take more than a sixty-fourth of what is free there. It is made once.
/// StarPU runs when it is made and when it ends.
class DeviceCopies {
 public:
  /// Throws RuntimeFailure where a device fails.
  explicit DeviceCopies(std::span<const std::byte> memory);
  // NOLINTNEXTLINE(performance-trivially-destructible): where there is CUDA it is not
  ~DeviceCopies();
  DeviceCopies(const DeviceCopies&) = delete;
  DeviceCopies& operator=(const DeviceCopies&) = delete;

  const CopiedMemory& memory() const { return memory_; }

 private:
  CopiedMemory memory_;
  std::vector<unsigned> node_;  ///< StarPU's numbers of the memories with copies, by device
};

}  // namespace espalier::internal::cuda
