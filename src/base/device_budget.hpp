// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>

#include "espalier/types.hpp"

namespace espalier::internal {

/// What one factor may have in the memory of each device, and whether that was enough. Its tasks
/// carry it to the policy: policies serve several factors at once.
struct DeviceBudget {
  /// Bytes that a limit leaves on each device beside the planned shadows, for the tiles that
  /// updates read. They get more where workers need more at once. Written before tasks start.
  Count beside_shadows = 0;
  /// The data of a task did not fit, which counts as a failure (the option on_device_full); a CPU
  /// ran the task.
  std::atomic<bool> exceeded{false};
};

}  // namespace espalier::internal
