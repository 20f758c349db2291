// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace espalier::internal {

/// Factors on the predicted times of tasks on CPU workers. Times never get shorter by them.
struct HostLoad {
  double alone = 1;     ///< on the time of one task
  double together = 1;  ///< on the time of all work that these workers share
};

}  // namespace espalier::internal
