// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace espalier::internal {

/// Minimum factors on the predicted times of CPU workers, caused by the load of the host.
struct HostLoad {
  double alone = 1;     ///< on the time of one task
  double together = 1;  ///< on the time of all work that these workers share
};

}  // namespace espalier::internal
