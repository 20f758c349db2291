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

/// CUDA devices, as the code outside of this folder sees them. A library that is built without CUDA
/// has no devices.
namespace espalier::internal::cuda {

/// Returns whether the library is built with CUDA, even if the machine has no device.
bool is_built();

/// Returns the number of devices of this process.
Index devices();

/// Most bits of the UUID of a device. They identify the device, because two processes may give the
/// same device different numbers.
using DeviceIdentity = std::array<unsigned, 4>;

/// Returns the identity of each device, in the order of their numbers. No entry is ~0U.
std::vector<DeviceIdentity> identities();

/// Throws RuntimeFailure if the driver is too old for this program, or if one of these devices
/// cannot be used, for example because another process has exclusive access. Without a driver,
/// there are no devices.
void expect_usable(std::span<const unsigned> devices);

/// Does the work on a separate thread whose device is this one. CUDA creates a context, which takes
/// memory, on the current device of a calling thread. By default this is the first device of the
/// machine, which may belong to another rank. StarPU sets the device only for its own threads.
void with_device(unsigned device, const std::function<void()>& work);

/// The type of the function that StarPU calls for a task.
using Function = void (*)(void* buffers[], void* argument);

/// Returns the function that starts a task of this kind on the stream of the CUDA worker, or null
/// if there is none.
Function function(TaskKind kind);

/// Throws RuntimeFailure if a device failed in a task since the last call. Must be called after the
/// tasks, because after a failure the tasks end early without an error.
void expect_no_failure();

/// Returns a message if a device failed, in a task or in another call of this thread, else an empty
/// text. It is for the message at the end of the process, because StarPU aborts when one of its
/// calls fails.
std::string last_failure();

/// While an object of this class exists, CUDA workers have everything that these functions need.
/// StarPU must be running, and not paused, when it is created and destroyed. Throws RuntimeFailure
/// if a device fails.
class DeviceContexts {
 public:
  DeviceContexts();
  // NOLINTNEXTLINE(performance-trivially-destructible): it is not trivial in a build with CUDA
  ~DeviceContexts();
  DeviceContexts(const DeviceContexts&) = delete;
  DeviceContexts& operator=(const DeviceContexts&) = delete;
};

/// A copy of host memory on each CUDA device that StarPU uses. StarPU counts the copy as used
/// memory. There is no copy on a device if it would take more than a sixty-fourth of the free
/// memory. StarPU must be running when the object is created and destroyed.
class DeviceCopies {
 public:
  /// Throws RuntimeFailure if a device fails.
  explicit DeviceCopies(std::span<const std::byte> memory);
  // NOLINTNEXTLINE(performance-trivially-destructible): it is not trivial in a build with CUDA
  ~DeviceCopies();
  DeviceCopies(const DeviceCopies&) = delete;
  DeviceCopies& operator=(const DeviceCopies&) = delete;

  const CopiedMemory& memory() const { return memory_; }

 private:
  CopiedMemory memory_;
  std::vector<unsigned> node_;  ///< StarPU's memory node of each device with a copy
};

}  // namespace espalier::internal::cuda
