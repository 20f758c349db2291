// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "espalier/types.hpp"

namespace espalier::internal {

// Facts about devices for code that does not include StarPU.

/// A CUDA device of this rank.
struct SharedDevice {
  unsigned number;  ///< CUDA's number of the device
  Index ranks = 1;  ///< number of ranks of this machine that use the device

  bool operator==(const SharedDevice&) const = default;
};

/// Copies that StarPU made between the host and devices.
struct DeviceTraffic {
  Count to_devices = 0;         ///< bytes
  Count to_host = 0;            ///< bytes
  Count copies_to_devices = 0;  ///< number of copies
  Count copies_to_host = 0;
};

}  // namespace espalier::internal
