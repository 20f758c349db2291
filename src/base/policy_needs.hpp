// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "espalier/types.hpp"

namespace espalier::internal {

/// How levels of the tree are merged for schedules with barriers.
struct LevelOptions {
  Index levels = 0;  ///< levels of an l-partition; 0: as many as are predicted to pay
  Index parts = 1;   ///< w-partitions for each worker, or for each group of workers
  Index groups = 0;  ///< groups of workers, each of which does whole w-partitions; 0: no groups
};

/// What the policy that runs the tasks needs of their graph.
struct PolicyNeeds {
  LevelOptions levels{};
  Count fused_entries = 0;  ///< see fuse_updates(); 0: updates stay apart
};

}  // namespace espalier::internal
