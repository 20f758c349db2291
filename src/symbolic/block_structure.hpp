// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "base/panel_structure.hpp"
#include "ordering/ordering.hpp"

namespace espalier::internal {

/// Columns of panel p are [begin[p], begin[p+1]), all of supernode supernode[p].
struct Panels {
  std::vector<Index> begin{0};
  std::vector<Index> supernode;
};

/// The widest panels of each supernode: of `panel_width` columns, or, down to `narrow_width`, of as
/// many as leave a panel's own D and F a 32nd of the `flops` of the factorization. For nobody works
/// beside those of the last panels: wide ones make small problems wait for one worker. Nor has a
/// panel more than `most_entries` then.
std::vector<Index> widest_panels(const PanelStructure& structure, double flops, Index panel_width,
                                 Index narrow_width,
                                 double most_entries = std::numeric_limits<double>::max());

/// Splits each supernode of w columns into ceil(w / widest) panels of nearly equal width. Where
/// `widest` is a multiple of 8, so is every width but that of a supernode's last panel.
Panels split(std::span<const Index> supernode_begin, std::span<const Index> widest);

/// Fills in the blocks of every panel, the lists of the blocks that face it, and the offsets of the
/// values, from the supernodes, their rows and their panels. Cost O(rows of all panels).
void add_blocks(PanelStructure& structure, Index workers = 1);

/// The offsets of the values alone, for which no rows are needed. Cost O(panels).
void add_value_offsets(PanelStructure& structure);

/// Entries and flops of L as stored: the lower trapezoids of all supernodes.
OrderingCost stored_cost(const PanelStructure& structure);

}  // namespace espalier::internal
