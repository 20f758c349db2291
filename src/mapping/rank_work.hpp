// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "base/panel_structure.hpp"
#include "mapping/rank_map.hpp"
#include "mapping/tiling.hpp"

namespace espalier::internal {

/// The shared panels, numbered from 0, and the load of each of their blocks from tasks whose source
/// panel is shared. Cost O(pairs of shared blocks).
class SharedWork {
 public:
  /// The owner of a tile owns all its blocks.
  SharedWork(const PanelStructure& structure, std::span<const double> seconds, const RankMap& map,
             const TileLimits& tiles = {});

  /// Shared panels of each shared supernode: [supernode_begin[s], supernode_begin[s+1]).
  std::vector<Index> supernode_begin{0};

  Index supernodes() const { return static_cast<Index>(supernode_begin.size()) - 1; }
  /// Returns the seconds of all blocks of a supernode.
  double supernode_seconds(Index supernode) const;
  /// Returns the load of each cell of a grid over which the blocks of a supernode are spread.
  std::vector<Load> cell_loads(Index supernode, const BlockGrid& cells) const;
  /// Returns the seconds of the tasks that each rank runs, if the map computes updates on other
  /// ranks than the owners of their targets. Otherwise returns an empty list.
  const std::vector<double>& seconds_of_updaters() const { return seconds_of_updaters_; }
  /// Calls f(row, column, load) for the blocks of shared panel `column`. `row` is the shared panel
  /// that the first block of the block's tile faces.
  template <typename F>
  void for_each_block(Index column, F f) const {
    for (Count b = begin_[column]; b < begin_[column + 1]; ++b) f(tile_row_[b], column, load_[b]);
  }

 private:
  struct Touched {
    Count block;
    Index column;
  };
  struct Counting;
  void add_panel(Counting& counting, Index panel, double seconds);
  void add_seconds(const std::vector<RankGrid>& grid, Index source, const Touched& touched,
                   double seconds);
  /// Returns the block of panel `column` that faces `row`, searching from block `from` on.
  Count find(Index row, Index column, Count from) const;

  std::vector<Count> begin_{0};  ///< first block of each shared panel
  std::vector<Index> row_;       ///< shared panel that each block faces
  std::vector<Index> tile_row_;  ///< shared panel that the first block of its tile faces
  std::vector<Load> load_;       ///< load of each block
  std::vector<double> seconds_of_updaters_;
};

/// Memory of a rank per column in addition to L, in entries of L: entries of A with their
/// positions, rows and blocks of L, and vectors. The load of the diagonal block includes it.
constexpr double entries_beside_column = 24;

/// Returns the load of each panel. `seconds` has the seconds of the work of each panel.
std::vector<Load> panel_loads(const PanelStructure& structure, std::span<const double> seconds);
/// Returns the load of each rank from its domain alone.
std::vector<Load> domain_loads(std::span<const Load> of_panels, const RankMap& map);
/// Returns the load of each rank from domains and shared panels. The rank of a domain does all work
/// of its panels. Each part of the work of a shared panel is done by the rank that the computation
/// map names: the owner of the block that this part writes, unless the map is fan-both or 3D.
std::vector<Load> rank_loads(std::vector<Load> of_domains, const RankMap& map,
                             const SharedWork& shared);

/// Returns the imbalances of seconds and entries: maximum over mean, or 1 if all ranks have the
/// same load or none.
Load imbalance(const std::vector<Load>& of_ranks);

}  // namespace espalier::internal
