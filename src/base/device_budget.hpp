// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <map>
#include <vector>

#include "base/device_memory.hpp"
#include "espalier/types.hpp"

namespace espalier::internal {

/// What one factor may have in the memory of each device, and whether that was enough. Its tasks
/// carry it to the policy: policies serve several factors at once.
struct DeviceBudget {
  /// What the tasks of the factor brought to a device.
  struct OnDevice {
    DeviceMemory memory;
    /// Bytes that the data may have there since an allocation has failed.
    double found = DeviceMemory::unlimited;
    std::vector<const void*> leaving;  ///< data that counts no more and is yet to be evicted

    /// The data ends, before the factor. No task needs it.
    void forget(const void* data) {
      memory.remove(data);
      std::erase(leaving, data);
    }
  };

  /// Bytes that a limit leaves on each device beside the planned shadows, for the tiles that
  /// updates read. They get more where workers need more at once. Written before tasks start.
  Count beside_shadows = 0;
  /// By StarPU's number of the memory; the policy `fanout` fills it, under its lock. It ends with
  /// the factor, as most data do; the tasks of a solve whose data end before have all ended.
  std::map<unsigned, OnDevice> on_device;
  /// The data of a task did not fit, which counts as a failure (the option on_device_full). Tasks
  /// that start after that do nothing.
  std::atomic<bool> exceeded{false};
};

}  // namespace espalier::internal
