// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "espalier/types.hpp"

namespace espalier::internal {

// What is said of devices where StarPU itself is not needed.

/// A CUDA device of this rank.
struct SharedDevice {
  unsigned number;  ///< CUDA's number of the device
  Index ranks = 1;  ///< ranks of this machine that have it

  bool operator==(const SharedDevice&) const = default;
};

/// What StarPU copied between the host and devices.
struct DeviceTraffic {
  Count to_devices = 0;         ///< bytes
  Count to_host = 0;            ///< bytes
  Count copies_to_devices = 0;  ///< copies with these bytes
  Count copies_to_host = 0;
};

}  // namespace espalier::internal
