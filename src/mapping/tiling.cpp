// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/tiling.hpp"

#include <limits>

#include "espalier/error.hpp"

namespace espalier {

namespace {

/// Least rows of a diagonal tile and of the other tiles, in rows.
struct Limits {
  Index diagonal;
  Index below;
};

Limits limits_of(Granularity granularity, Index tile_rows) {
  constexpr Index everything = std::numeric_limits<Index>::max();
  switch (granularity) {
    case Granularity::panel: return {everything, everything};
    case Granularity::tile: return {1, tile_rows};
    case Granularity::block: return {1, 1};
    case Granularity::automatic: break;
  }
  throw UsageError("panels are tiled by panel, tile or block; choose one of these granularities");
}

}  // namespace

Tiling tile_panels(const PanelStructure& structure, const SubtreeCut& cut, Granularity granularity,
                   Index tile_rows) {
  const Limits limits = limits_of(granularity, tile_rows);
  Tiling tiling;
  tiling.tile_begin.reserve(structure.panels() + 1);
  for (Index p = 0; p < structure.panels(); ++p) {
    Index begin = 0;
    if (cut.group_of[p] < 0) {
      for (Count b = structure.block_begin[p]; b < structure.block_begin[p + 1]; ++b) {
        const Index end = structure.block_end(p, b);
        const bool last = b + 1 == structure.block_begin[p + 1];
        if (!last && end - begin < (begin == 0 ? limits.diagonal : limits.below)) continue;
        tiling.tile.push_back({p, begin, end});
        begin = end;
      }
    }
    tiling.tile_begin.push_back(static_cast<Count>(tiling.tile.size()));
  }
  return tiling;
}

}  // namespace espalier
