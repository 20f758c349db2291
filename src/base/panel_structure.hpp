// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "espalier/types.hpp"

namespace espalier::internal {

/// Block B(i, j): the rows of panel j that face panel i. Such rows are columns of panel i.
struct Block {
  Index row_offset;  ///< its first row, counted in the rows of panel j
  Index facing;      ///< panel i; the first block of a panel faces the panel itself
};

/// Supernodes, the panels into which they are split, and the blocks of the panels. Numeric tasks
/// need no other information about L.
///
///   panel j:   [ B(j,j)  ]  diagonal block, `width` rows, lower triangle in use
///              [ B(i,j)  ]  rows facing panel i > j
///              [ B(i',j) ]  rows facing panel i' > i, and so on
///
/// A panel is stored by columns, with leading dimension height(j), in one array for all of L.
struct PanelStructure {
  Index n = 0;
  /// Columns of supernode s are [supernode_begin[s], supernode_begin[s+1]); postordered.
  std::vector<Index> supernode_begin{0};
  /// Rows of supernode s, ascending, its own columns first: row[row_begin[s] .. row_begin[s+1]).
  std::vector<Count> row_begin{0};
  std::vector<Index> row;

  /// Columns of panel p are [panel_begin[p], panel_begin[p+1]).
  std::vector<Index> panel_begin{0};
  std::vector<Index> panel_supernode;
  /// Blocks of panel p, by ascending facing panel, the diagonal block first.
  std::vector<Count> block_begin{0};
  std::vector<Block> block;
  /// Off-diagonal blocks that face panel i, by ascending source panel: block[facing_block[k]] in
  /// panel facing_source[k], for k in [facing_begin[i], facing_begin[i+1]).
  std::vector<Count> facing_begin{0};
  std::vector<Count> facing_block;
  std::vector<Index> facing_source;
  /// First value of panel p in the array of L, in entries; a multiple of 8. The last element is the
  /// length of the array.
  std::vector<Count> value_begin{0};

  Index supernodes() const { return static_cast<Index>(supernode_begin.size()) - 1; }
  Index panels() const { return static_cast<Index>(panel_supernode.size()); }
  Index width(Index p) const { return panel_begin[p + 1] - panel_begin[p]; }
  Index height(Index p) const {
    const Index s = panel_supernode[p];
    return static_cast<Index>(row_begin[s + 1] - row_begin[s]) -
           (panel_begin[p] - supernode_begin[s]);
  }
  /// Rows of panel p, ascending, its own columns first.
  std::span<const Index> rows(Index p) const {
    const Index s = panel_supernode[p];
    return {row.data() + row_begin[s] + (panel_begin[p] - supernode_begin[s]),
            row.data() + row_begin[s + 1]};
  }
  std::span<const Block> blocks(Index p) const {
    return {block.data() + block_begin[p], block.data() + block_begin[p + 1]};
  }
  /// Returns the first row after block b of panel p, counted in the rows of panel p.
  Index block_end(Index p, Count b) const {
    return b + 1 < block_begin[p + 1] ? block[b + 1].row_offset : height(p);
  }
  /// Returns the panel with this column of L. Cost O(log panels).
  Index panel_with(Index column) const {
    const auto after = std::upper_bound(panel_begin.begin(), panel_begin.end(), column);
    return static_cast<Index>(after - panel_begin.begin()) - 1;
  }
  /// Returns the parent in the tree of panels, or -1 at a root. The parent is the next panel of the
  /// same supernode, or the first panel of the parent supernode, even if the first row below p
  /// faces a later panel of that supernode. Each subtree is a range of panels.
  Index parent(Index p) const {
    if (block_begin[p] + 1 == block_begin[p + 1]) return -1;
    Index q = block[block_begin[p] + 1].facing;
    if (panel_supernode[q] == panel_supernode[p]) return q;
    while (q > 0 && panel_supernode[q - 1] == panel_supernode[q]) --q;
    return q;
  }
};

}  // namespace espalier::internal
