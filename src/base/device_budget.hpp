// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <map>
#include <vector>

#include "base/device_memory.hpp"
#include "espalier/types.hpp"

namespace espalier::internal {

/// Memory that one factor may use on each device, and whether it sufficed. Each task of the factor
/// has a pointer to this budget for the policy, because a policy serves several factors at once.
struct DeviceBudget {
  /// Data that tasks of the factor brought to one device.
  struct OnDevice {
    DeviceMemory memory;
    /// Maximum bytes of this data on the device, known after an allocation failed.
    double found = DeviceMemory::unlimited;
    std::vector<const void*> leaving;  ///< data that no longer counts but still must be evicted

    /// Removes data that is freed before the factor. No task needs it any more.
    void forget(const void* data) {
      memory.remove(data);
      std::erase(leaving, data);
    }
  };

  /// Memory for the tiles that updates read: bytes that the limit leaves on each device after the
  /// planned shadows. Tiles get more if workers need more at once. The value is set before tasks
  /// start.
  Count beside_shadows = 0;
  /// Data by StarPU's number of the memory node. The policy `fanout` fills the map under its lock.
  /// The map lives as long as the factor. Data of a solve may be freed earlier, but only after the
  /// tasks of the solve have ended.
  std::map<unsigned, OnDevice> on_device;
  /// Whether the data of a task did not fit and this counts as a failure (option on_device_full).
  /// Tasks that start afterwards do nothing.
  std::atomic<bool> exceeded{false};
};

}  // namespace espalier::internal
