// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "base/panel_structure.hpp"
#include "base/policy_needs.hpp"
#include "mapping/subtrees.hpp"

namespace espalier::internal {

/// The panels in levels, from the leaves up, for schedules with barriers. Neighbouring levels are
/// merged into l-partitions. Each of these is cut into w-partitions that do not depend on each
/// other. This is the load-balanced level coarsening of Cheshmi, Kamil, Strout and Mehri Dehnavi
/// (ParSy, SC 2018).
///
///   level 3         o            l-partition 1, its only w-partition
///                  / \           ---- barrier
///   level 2       o   o          l-partition 0: two trees,
///                /|   |\         each its own w-partition
///   level 1     o o   o o
struct LevelPartition {
  /// Level of each panel: 0 in a group. Above the cut, its height above the groups, or above the
  /// leaves if there are no groups.
  std::vector<Index> level;
  std::vector<Index> l_partition;  ///< l-partition of each level, ascending from 0
  std::vector<Index> w_partition;  ///< w-partition of each panel in the l-partition of its level
};

/// Returns the partitions. `seconds` is the work of each panel. If options.levels is 0, levels are
/// merged as long as the saved barrier is worth more than the lost balance. Cost O(panels + trees
/// log trees).
LevelPartition partition_levels(const PanelStructure& structure, const SubtreeCut& cut,
                                std::span<const double> seconds, Index workers,
                                const LevelOptions& options);

}  // namespace espalier::internal
