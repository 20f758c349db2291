// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/tiling.hpp"

#include <limits>

#include "espalier/error.hpp"
#include "mapping/counted.hpp"

namespace espalier::internal {

TileLimits tile_limits(Granularity granularity, Index tile_rows) {
  constexpr Index everything = std::numeric_limits<Index>::max();
  switch (granularity) {
    case Granularity::panel: return {everything, everything};
    case Granularity::tile: return {1, tile_rows};
    case Granularity::block: return {1, 1};
    case Granularity::automatic: break;
  }
  throw UsageError("panels are tiled by panel, tile or block; choose one of these granularities");
}

Tiling tile_panels(const PanelStructure& structure, const SubtreeCut& cut, Granularity granularity,
                   Index tile_rows) {
  const TileLimits limits = tile_limits(granularity, tile_rows);
  Tiling tiling;
  tiling.tile_begin.reserve(structure.panels() + 1);
  for (Index p = 0; p < structure.panels(); ++p) {
    if (cut.group_of[p] < 0) {
      for_each_tile(structure, p, limits, [&](Count begin, Count end) {
        tiling.tile.push_back(
            {p, structure.block[begin].row_offset, structure.block_end(p, end - 1)});
      });
    }
    tiling.tile_begin.push_back(counted(tiling.tile.size(), "tiles", most_tiles));
  }
  return tiling;
}

}  // namespace espalier::internal
