// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "base/panel_structure.hpp"
#include "ordering/ordering.hpp"

namespace espalier::internal {

/// Division of supernodes into panels. Panel p has columns [begin[p], begin[p+1]) of supernode[p].
struct Panels {
  std::vector<Index> begin{0};
  std::vector<Index> supernode;
};

/// Returns the maximum width of the panels of each supernode, at most `panel_width`. Panels are
/// narrowed, but not below `narrow_width`, if D and F of one panel would have more than
/// `most_flops` operations, or if a panel would have more than `most_entries` entries.
std::vector<Index> widest_panels(const PanelStructure& structure, double most_flops,
                                 Index panel_width, Index narrow_width,
                                 double most_entries = std::numeric_limits<double>::max());

/// Splits each supernode of w columns into ceil(w / widest) panels of nearly equal width. If
/// `widest` is a multiple of 8, all widths are multiples of 8, except in the last panel of a
/// supernode.
///
/// With `partner`, which has the other column of each pair or the column itself, a cut between the
/// two columns of a pair moves before the pair. Panels may then be wider by one column.
Panels split(std::span<const Index> supernode_begin, std::span<const Index> widest,
             std::span<const Index> partner = {});

/// Sets the panels of a structure. Adds their blocks, or without rows only the value offsets.
void set_panels(PanelStructure& structure, Panels panels, Index workers = 1);

/// Adds the blocks of every panel, the lists of blocks that face it, and the value offsets. The
/// supernodes, their rows and their panels must exist. Cost O(rows of all panels).
void add_blocks(PanelStructure& structure, Index workers = 1);

/// Adds only the value offsets, which need no rows. Cost O(panels).
void add_value_offsets(PanelStructure& structure);

/// Returns the stored entries and the flops of L: the lower trapezoids of all supernodes.
OrderingCost stored_cost(const PanelStructure& structure);

}  // namespace espalier::internal
