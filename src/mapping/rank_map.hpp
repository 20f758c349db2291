// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "base/block_grid.hpp"
#include "base/panel_structure.hpp"
#include "espalier/options.hpp"
#include "mapping/tiling.hpp"

namespace espalier::internal {

/// Computation map: the rank that computes the update of B(i, k) by panel j.
enum class ComputationMap : Index {
  /// Fan-out: the owner of B(i, k). Blocks are distributed 2D block-cyclically.
  by_target,
  /// Fan-both: the rank map(j, k), for all i. Rank map(k, k) owns all of panel k. Other ranks sum
  /// up their updates of a panel and send it the sums. See Jacquelin, Zheng, Ng and Yelick, "An
  /// asynchronous task-based fan-both sparse Cholesky solver", 2016.
  by_source_and_target,
  /// The rank of the layer of panel j that has the position of B(i, k) in the grid of the layer.
  /// Layers are distributed as the whole by by_target, and send the sums of their updates of blocks
  /// of other layers. See Sao, Li and Vuduc, "A communication-avoiding 3D algorithm for sparse LU
  /// factorization on heterogeneous systems", 2018.
  by_layer_of_source,
};

/// Consecutive ranks that own the blocks of a panel and compute its updates.
struct RankGrid {
  Index first = 0;
  BlockGrid cells;
  Index shift = 0;  ///< cell 0 belongs to rank first + shift; after the last rank follows `first`
  ComputationMap computes = ComputationMap::by_target;

  Index size() const { return cells.size(); }
  bool fans_both() const { return computes == ComputationMap::by_source_and_target; }
  bool has(Index rank) const { return rank >= first && rank < first + size(); }
  /// Returns whether both grids have the same rank in each cell.
  bool has_cells_of(const RankGrid& other) const {
    return first == other.first && shift == other.shift && cells.rows == other.cells.rows &&
           cells.columns == other.cells.columns;
  }
  Index rank_of_cell(Index cell) const { return first + (cell + shift) % size(); }
  /// Returns the owner of block B(row, column).
  Index rank(Index row, Index column) const {
    return rank_of_cell(owner_of_block(cells, fans_both() ? column : row, column));
  }
  /// Returns the rank that computes the update of B(row, column) by block column `source`, if both
  /// columns have this grid.
  Index updater(Index source, Index row, Index column) const {
    return rank_of_cell(owner_of_block(cells, fans_both() ? source : row, column));
  }
  /// Return the position of a block row among the block rows that one rank has in this column, and
  /// the position of a block column among the block columns of one rank.
  Index own_row(Index row) const { return fans_both() ? row : row / cells.rows; }
  Index own_column(Index column) const {
    return fans_both() ? column / size() : column / size() * cells.rows + column % cells.rows;
  }
};

/// Returns the rank that computes the update of B(row, column) by block column `source`. `grid` has
/// the grid of each column.
inline Index updater(std::span<const RankGrid> grid, Index source, Index row, Index column) {
  const bool by_layer = grid[column].computes == ComputationMap::by_layer_of_source;
  return grid[by_layer ? source : column].updater(source, row, column);
}

/// Returns whether ranks compute updates by shared panels for the owners of their targets.
inline bool computes_elsewhere(std::span<const RankGrid> grid) {
  return !grid.empty() && grid.front().computes != ComputationMap::by_target;
}

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

/// The forest of supernodes cut in two. Below the cut are domains, whole subtrees that each belong
/// to one rank. Above it are shared panels, whose blocks belong to the ranks of a grid.
struct RankMap {
  static constexpr Index shared = -1;
  Index ranks = 1;
  std::vector<Index> domain;  ///< for each panel, the rank that owns it, or `shared`
  /// Grid of each shared panel, ascending. Block rows and columns are counted among shared panels.
  std::vector<RankGrid> grid;

  bool computes_elsewhere() const { return internal::computes_elsewhere(grid); }
};

/// Parts that one rank may own alone: whole subtrees, or, as in symPACK, only blocks.
enum class Alone { subtrees, blocks };

/// Returns the map of a structure to ranks.
/// - proportional: subtrees get ranks in proportion to their share of all predicted seconds and of
///   all entries of L (Pothen and Sun, "A mapping algorithm for parallel sparse Cholesky
///   factorization", 1993). A subtree gets several ranks only if the ranks cannot be balanced
///   otherwise. A supernode with several ranks is spread over a nearly square grid that balances
///   the work of all ranks.
/// - block_cyclic: small subtrees go to the rank with the least work, and the rest is spread over
///   one grid of all ranks. The grid is `cells` unless it is null. Throws UsageError if `cells`
///   does not have one cell per rank. With Alone::blocks all panels are spread over that grid: the
///   fan-out mapping of symPACK ([P] in docs/glossary.md, section 3.3).
/// - three_d: as layered_map(), with ComputationMap::by_layer_of_source. `cells` is the grid of one
///   layer. Throws UsageError if its size does not divide the number of ranks.
/// - fan_both: as block_cyclic, with ComputationMap::by_source_and_target. A grid of one row is the
///   fan-out of whole panels, and a grid of one column is fan-in.
///
/// The load of a panel may include a subtree below it that goes to the same rank; see
/// may_be_shared(). `tiles` are the limits on the tiles of shared panels. Cost
/// O(panels log panels + pairs of shared blocks).
RankMap map_to_ranks(const PanelStructure& structure, std::span<const Load> load, Index ranks,
                     Mapping mapping = Mapping::proportional, const BlockGrid* cells = nullptr,
                     const TileLimits& tiles = {}, Alone alone = Alone::subtrees);

/// Returns 1 for each supernode that map_to_ranks() may share, else 0. The parent of a supernode
/// with 1 also has 1. The result stays valid if a subtree without such supernodes is replaced by
/// one panel with the load of the whole subtree.
std::vector<char> may_be_shared(std::span<const Index> parent, std::span<const Load> of_supernodes,
                                Index ranks, Alone alone = Alone::subtrees);

/// Returns the parent of each supernode, -1 for a root.
std::vector<Index> supernode_parents(const PanelStructure& structure);

}  // namespace espalier::internal
