// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "base/panel_structure.hpp"
#include "base/scalar.hpp"
#include "mapping/kernel_cost.hpp"

namespace espalier::internal {

/// Returns for each block the predicted seconds of the work whose source it is, in a task that runs
/// a whole subtree. The work of a diagonal block is to fill and factor its panel. The work of
/// another block is to update the panel that it faces with the block and all rows below it.
std::vector<double> block_seconds(const PanelStructure& structure, const KernelCost& cost,
                                  Index threads = 1);

/// Returns for each panel the sum over its blocks. The sum over the panels of a subtree is the time
/// of the subtree as one task.
std::vector<double> panel_seconds(const PanelStructure& structure,
                                  std::span<const double> block_seconds);
std::vector<double> panel_seconds(const PanelStructure& structure, const KernelCost& cost);

/// Maximum number of entries of L in a group. The data of a group are a matrix whose number of rows
/// is the number of entries in a cache line, and whose columns are counted by an Index.
inline constexpr Count most_entries_of_group =
    Count{scalar.entries_of_line()} * std::numeric_limits<Index>::max();

/// The forest of panels cut in two. Below the cut are disjoint groups of whole subtrees; one
/// sequential task factors each group. Above it are the panels with separate tasks.
struct SubtreeCut {
  struct Group {
    Index panel_begin;  ///< the group has the panels [panel_begin, panel_end)
    Index panel_end;
    /// Rows outside of the group, ascending: external_row[external_begin .. external_end).
    Count external_begin;
    Count external_end;
  };
  std::vector<Group> groups;
  std::vector<Index> external_row;
  std::vector<Index> group_of;  ///< for each panel, its group, or -1 above the cut

  std::span<const Index> external_rows(const Group& group) const {
    return {external_row.data() + group.external_begin, external_row.data() + group.external_end};
  }
  Index external_size(const Group& group) const {
    return static_cast<Index>(group.external_end - group.external_begin);
  }
};

/// Returns for each panel a lower bound of the seconds that it adds to the longest path of its
/// subtree if it has separate tasks. Three consecutive tasks factor its diagonal block, factor the
/// block that faces the next panel, and update that panel's diagonal block.
std::vector<double> path_seconds(const PanelStructure& structure, const KernelCost& cost,
                                 Index threads = 1);

/// Cuts directly above the highest panels whose subtrees are fast enough as one task. Such a
/// subtree takes at most `limit` seconds, or at most as long as its longest path with separate
/// tasks, whose seconds per panel are `path` (may be empty). The second case is a chain of small
/// panels, which leaves no work for other workers. Neighbouring subtrees under one parent share a
/// group as long as their sum is at most the limit. No group has more than most_entries_of_group.
/// Cost O(panels + rows).
SubtreeCut cut_subtrees(const PanelStructure& structure, std::span<const double> seconds,
                        double limit, std::span<const double> path = {});

/// Returns the cut with the whole forest as one sequential group, or several if it is too large for
/// one.
SubtreeCut whole_forest(const PanelStructure& structure);

}  // namespace espalier::internal
