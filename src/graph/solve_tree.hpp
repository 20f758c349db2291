// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "base/panel_structure.hpp"
#include "mapping/subtrees.hpp"

namespace espalier {

/// The tree that the triangular solves walk, one task a node and direction: the groups of a cut,
/// and above it the panels of each supernode together. Children come before their parents.
struct SolveTree {
  struct Node {
    Index panel_begin;  ///< the node is the panels [panel_begin, panel_end)
    Index panel_end;
    Index parent;                          ///< -1 at a root
    std::span<const Index> external_rows;  ///< rows outside that the node reaches, ascending
    Index columns;
    double entries;  ///< of L in the node

    Index front_rows() const { return columns + static_cast<Index>(external_rows.size()); }
  };
  std::vector<Node> node;
};

/// The tree points into the structure and the cut, which outlive it. Cost O(panels).
SolveTree build_solve_tree(const PanelStructure& structure, const SubtreeCut& cut);

}  // namespace espalier
