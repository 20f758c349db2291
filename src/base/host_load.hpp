// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace espalier::internal {

/// Factors on what tasks are predicted to take on CPU workers, which get no less than these.
struct HostLoad {
  double alone = 1;     ///< on one task
  double together = 1;  ///< on all work that these workers share
};

}  // namespace espalier::internal
