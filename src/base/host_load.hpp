// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace espalier::internal {

/// Lower bounds of the slowdown of CPU workers under the load of the host, as factors on their
/// predicted times.
struct HostLoad {
  double alone = 1;     ///< on the time of one task
  double together = 1;  ///< on the time of all work that these workers share
};

}  // namespace espalier::internal
