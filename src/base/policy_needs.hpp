// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/block_grid.hpp"
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
  /// Grid of the workers that own the blocks. The tasks with one source panel and one owner become
  /// one task of StarPU (see batch_tasks()). Without cells, each task is submitted by itself.
  BlockGrid owners{0, 0};
  /// Whether StarPU must know the data of tasks, and gets all tasks at once.
  bool handles = false;
};

}  // namespace espalier::internal
