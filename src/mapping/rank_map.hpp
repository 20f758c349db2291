// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "base/block_grid.hpp"
#include "base/panel_structure.hpp"
#include "espalier/options.hpp"
#include "mapping/tiling.hpp"

namespace espalier::internal {

/// Consecutive ranks that own the blocks of a panel, 2D block-cyclic.
struct RankGrid {
  Index first = 0;
  BlockGrid cells;
  Index shift = 0;  ///< cell 0 is that of rank first + shift; numbers go on from `first` at the end

  Index size() const { return cells.size(); }
  Index rank_of_cell(Index cell) const { return first + (cell + shift) % size(); }
  Index rank(Index row, Index column) const {
    return rank_of_cell(owner_of_block(cells, row, column));
  }
  /// How many block rows before this one its rank has, and block columns before that one.
  Index own_row(Index row) const { return row / cells.rows; }
  Index own_column(Index column) const {
    return column / size() * cells.rows + column % cells.rows;
  }
};

/// Predicted seconds of work, and memory in entries of L.
struct Load {
  double seconds = 0;
  double entries = 0;

  Load& operator+=(const Load& other) {
    seconds += other.seconds;
    entries += other.entries;
    return *this;
  }
};

/// The forest of supernodes cut in two: below, domains, whole subtrees that belong to one rank
/// each; above, shared panels, whose blocks belong to the ranks of a grid.
struct RankMap {
  static constexpr Index shared = -1;
  Index ranks = 1;
  std::vector<Index> domain;   ///< for each panel, the rank that it belongs to, or `shared`
  std::vector<RankGrid> grid;  ///< by shared panel, ascending; i and j count shared panels, too
};

/// What ranks may own alone: whole subtrees, or, as in symPACK, nothing but blocks.
enum class Alone { subtrees, blocks };

/// proportional: subtrees get ranks by their share of the seconds of all panels (Pothen and Sun,
/// "A mapping algorithm for parallel sparse Cholesky factorization", 1993) and of their entries, a
/// subtree several ranks only where the ranks do not balance without; a supernode with several
/// ranks is spread over a grid of them that is nearly square and balances the work of all.
/// block_cyclic: small subtrees go to the rank with the least work, all else over one grid of all
/// ranks, `cells` where given; UsageError unless that has as many cells as there are ranks. With
/// Alone::blocks all panels go over that grid: the fan-out mapping of symPACK (see
/// src/README.md, P, section 3.3). The load of a panel may be that of a subtree that goes where it
/// goes; see may_be_shared(). `tiles` are what shared panels will be divided into. Cost O(panels
/// log panels + pairs of shared blocks).
RankMap map_to_ranks(const PanelStructure& structure, std::span<const Load> load, Index ranks,
                     Mapping mapping = Mapping::proportional, const BlockGrid* cells = nullptr,
                     const TileLimits& tiles = {}, Alone alone = Alone::subtrees);

/// Supernodes among which are all that map_to_ranks() may share, and with each its parent; also
/// where subtrees without any come as the load of one panel of their roots.
std::vector<char> may_be_shared(std::span<const Index> parent, std::span<const Load> of_supernodes,
                                Index ranks, Alone alone = Alone::subtrees);

/// Parent of every supernode, -1 at a root.
std::vector<Index> supernode_parents(const PanelStructure& structure);

}  // namespace espalier::internal
