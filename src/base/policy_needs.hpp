// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "espalier/types.hpp"

namespace espalier::internal {

/// Options for merging levels of the tree, for schedules with barriers.
struct LevelOptions {
  Index levels = 0;  ///< levels of an l-partition; 0: as many as are predicted to pay off
  Index parts = 1;   ///< w-partitions per worker, or per group of workers
  Index groups = 0;  ///< groups of workers, which run whole w-partitions; 0: no groups
};

/// Properties of the task graph that the policy needs.
struct PolicyNeeds {
  LevelOptions levels{};
  Count fused_entries = 0;  ///< see fuse_updates(); 0: do not fuse updates
};

}  // namespace espalier::internal
