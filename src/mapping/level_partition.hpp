// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "base/panel_structure.hpp"
#include "base/policy_needs.hpp"
#include "mapping/subtrees.hpp"

namespace espalier::internal {

/// The panels in levels, from the leaves up, for schedules with barriers. Neighbouring levels are
/// merged into l-partitions; each of these is cut into w-partitions, between which nothing depends
/// on anything: the load-balanced level coarsening of Cheshmi, Kamil, Strout and Mehri Dehnavi
/// (ParSy, SC 2018).
///
///   level 3         o            l-partition 1, its only w-partition
///                  / \           ---- barrier
///   level 2       o   o          l-partition 0: two trees,
///                /|   |\         each a w-partition of its own
///   level 1     o o   o o
struct LevelPartition {
  /// The level of each panel: 0 in a group; above the cut its height over the groups, or, where
  /// there are none, over the leaves.
  std::vector<Index> level;
  std::vector<Index> l_partition;  ///< by level, ascending from 0
  std::vector<Index> w_partition;  ///< by panel, inside the l-partition of its level
};

/// `seconds` is the work of each panel alone. Levels are merged as long as one barrier less is
/// worth more than the balance that is lost with it. Cost O(panels + trees log trees).
LevelPartition partition_levels(const PanelStructure& structure, const SubtreeCut& cut,
                                std::span<const double> seconds, Index workers,
                                const LevelOptions& options);

}  // namespace espalier::internal
