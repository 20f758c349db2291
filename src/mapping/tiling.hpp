// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "base/panel_structure.hpp"
#include "espalier/options.hpp"
#include "mapping/subtrees.hpp"

namespace espalier::internal {

/// Rows [row_begin, row_end) of a panel, numbered within the panel. A task reads or writes a whole
/// tile.
struct Tile {
  Index panel;
  Index row_begin;
  Index row_end;
};

inline Count entries_of(const PanelStructure& structure, const Tile& tile) {
  return Count{tile.row_end - tile.row_begin} * structure.width(tile.panel);
}

/// The panels above a cut, divided into tiles of consecutive whole blocks, from the top. The first
/// tile of a panel contains its diagonal block. Panels below the cut have no tiles.
struct Tiling {
  std::vector<Tile> tile;
  std::vector<Count> tile_begin{0};  ///< tiles of panel p: tile[tile_begin[p] .. tile_begin[p+1])

  std::span<const Tile> of(Index panel) const {
    return {tile.data() + tile_begin[panel], tile.data() + tile_begin[panel + 1]};
  }
};

/// Minimum rows of a panel's first tile and of its other tiles. The last tile may have fewer.
struct TileLimits {
  Index diagonal = 1;
  Index below = 1;
};

/// Returns the limits for a granularity. `panel`: one tile per panel. `block`: one tile per block.
/// `tile`: the diagonal block, then tiles of whole blocks with at least `tile_rows` rows. Throws
/// UsageError for `automatic`.
TileLimits tile_limits(Granularity granularity, Index tile_rows);

/// Calls f(begin, end) with the blocks of each tile of a panel above the cut.
template <typename F>
void for_each_tile(const PanelStructure& structure, Index panel, const TileLimits& limits, F f) {
  const Count first = structure.block_begin[panel];
  const Count last = structure.block_begin[panel + 1];
  Count begin = first;
  for (Count b = first; b < last; ++b) {
    const Index rows = structure.block_end(panel, b) - structure.block[begin].row_offset;
    if (b + 1 < last && rows < (begin == first ? limits.diagonal : limits.below)) continue;
    f(begin, b + 1);
    begin = b + 1;
  }
}

/// Maximum number of tiles. An Index must hold the tags of messages: two per tile, four per panel.
inline constexpr Index most_tiles = Index{1} << 29;

/// Returns the tiling. Throws UsageError if it has more than `most_tiles` tiles.
Tiling tile_panels(const PanelStructure& structure, const SubtreeCut& cut, Granularity granularity,
                   Index tile_rows);

}  // namespace espalier::internal
