// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "base/panel_structure.hpp"
#include "base/scalar.hpp"
#include "mapping/kernel_cost.hpp"

namespace espalier::internal {

/// Predicted seconds of the work that has each block as its source, as a task does it that goes
/// through a whole subtree: for a diagonal block filling and factoring its panel, for another one
/// the update of all rows from its first one on in the panel that it faces.
std::vector<double> block_seconds(const PanelStructure& structure, const KernelCost& cost);

/// The sums over the blocks of each panel. Sums over a subtree give the time of that subtree as one
/// task.
std::vector<double> panel_seconds(const PanelStructure& structure,
                                  std::span<const double> block_seconds);
std::vector<double> panel_seconds(const PanelStructure& structure, const KernelCost& cost);

/// Maximum number of entries of L in a group. Its data are a matrix with as many rows as a cache
/// line has entries, whose columns are counted by an Index.
inline constexpr Count most_entries_of_group =
    Count{scalar.entries_of_line()} * std::numeric_limits<Index>::max();

/// The forest of panels cut in two: below, disjoint groups of whole subtrees, each to be factored
/// by one sequential task; above, the panels that get tasks of their own.
struct SubtreeCut {
  struct Group {
    Index panel_begin;  ///< the group is the panels [panel_begin, panel_end)
    Index panel_end;
    Count external_begin;  ///< its rows outside: external_row[external_begin .. external_end),
                           ///< ascending
    Count external_end;
  };
  std::vector<Group> groups;
  std::vector<Index> external_row;
  std::vector<Index> group_of;  ///< for each panel, -1 above the cut

  std::span<const Index> external_rows(const Group& group) const {
    return {external_row.data() + group.external_begin, external_row.data() + group.external_end};
  }
  Index external_size(const Group& group) const {
    return static_cast<Index>(group.external_end - group.external_begin);
  }
};

/// Seconds that each panel adds, with tasks of its own, to the longest path of its subtree, on any
/// number of workers: three tasks, one after the other, that factor its diagonal block and what
/// faces the next panel, and update that one's diagonal block. A lower bound.
std::vector<double> path_seconds(const PanelStructure& structure, const KernelCost& cost);

/// Cuts below the highest panels whose subtrees take at most `limit` seconds, or no more than their
/// longest path with tasks by `path`, where it is given: on a chain of small panels, which leaves
/// other workers nothing to do, one task is done sooner than a task for each panel. Neighbouring
/// subtrees under one parent share a group as long as they stay below the limit together. No group
/// has more than most_entries_of_group. Cost O(panels + rows).
SubtreeCut cut_subtrees(const PanelStructure& structure, std::span<const double> seconds,
                        double limit, std::span<const double> path = {});

/// The whole forest as one group, as far as it is not too large for one: the sequential path.
SubtreeCut whole_forest(const PanelStructure& structure);

}  // namespace espalier::internal
