// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "base/panel_structure.hpp"
#include "mapping/rank_map.hpp"
#include "mapping/tiling.hpp"

namespace espalier::internal {

/// The shared panels, numbered from 0, and what tasks with a shared source do to each of their
/// blocks. Cost O(pairs of shared blocks).
class SharedWork {
 public:
  /// `domain` as in RankMap. The owner of a tile has all its blocks.
  SharedWork(const PanelStructure& structure, std::span<const double> seconds,
             const std::vector<Index>& domain, const TileLimits& tiles = {});

  /// Shared panels of each shared supernode: [supernode_begin[s], supernode_begin[s+1]).
  std::vector<Index> supernode_begin{0};

  Index supernodes() const { return static_cast<Index>(supernode_begin.size()) - 1; }
  /// What the blocks of a supernode take.
  double supernode_seconds(Index supernode) const;
  /// What they take, with their entries, by the cells of a grid over which they are spread.
  std::vector<Load> cell_loads(Index supernode, const BlockGrid& cells) const;
  /// Calls f(row, column, load) for the blocks of shared panel `column`, numbers of panels; `row`
  /// is that of the first block of the tile.
  template <typename F>
  void for_each_block(Index column, F f) const {
    for (Count b = begin_[column]; b < begin_[column + 1]; ++b) f(tile_row_[b], column, load_[b]);
  }

 private:
  void add_panel(const PanelStructure& structure, Index panel, double seconds,
                 const std::vector<Index>& number);
  /// The block of panel `column` that faces `row`, looked for from block `from` on.
  Count find(Index row, Index column, Count from) const;

  std::vector<Count> begin_{0};  ///< blocks of each shared panel
  std::vector<Index> row_;       ///< the shared panel that each block faces
  std::vector<Index> tile_row_;  ///< the shared panel that the first block of its tile faces
  std::vector<Load> load_;       ///< what each block takes
  std::vector<double> flops_;    ///< flops of each block by one source, while that is added
};

/// What a rank has of a column beside L, in entries of L: entries of A with their places, rows and
/// blocks of L, vectors. Counted with the diagonal block.
constexpr double entries_beside_column = 24;

/// What each panel takes whose work takes so many seconds.
std::vector<Load> panel_loads(const PanelStructure& structure, std::span<const double> seconds);
/// What each rank has of the domains.
std::vector<Load> domain_loads(std::span<const Load> of_panels, const RankMap& map);
/// What each rank has of the shared panels, too: the work of a domain panel is where the panel is,
/// that of a shared one where the blocks are that it writes.
std::vector<Load> rank_loads(std::vector<Load> of_domains, const RankMap& map,
                             const SharedWork& shared);

/// Returns the imbalances of the seconds and of the entries: most over mean, 1 where all ranks have
/// the same or nothing.
Load imbalance(const std::vector<Load>& of_ranks);

}  // namespace espalier::internal
