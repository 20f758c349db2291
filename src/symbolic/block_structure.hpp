// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/panel_structure.hpp"
#include "ordering/ordering.hpp"

namespace espalier {

/// Fills in the blocks of every panel, the lists of the blocks that face it, and the offsets of the
/// values, from the supernodes, their rows and their panels. Cost O(rows of all panels).
void add_blocks(PanelStructure& structure, Index workers = 1);

/// The offsets of the values alone, for which no rows are needed. Cost O(panels).
void add_value_offsets(PanelStructure& structure);

/// Entries and flops of L as stored: the lower trapezoids of all supernodes.
OrderingCost stored_cost(const PanelStructure& structure);

}  // namespace espalier
