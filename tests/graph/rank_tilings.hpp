// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "graph/sample_graphs.hpp"
#include "mapping/local_structure.hpp"
#include "support/divisions.hpp"

namespace espalier::support {

/// A structure as all ranks of a map see it.
struct RankTilings {
  RankMap map;
  std::vector<LocalStructure> local;
  std::vector<Tiling> tiling;  ///< of all panels, by rank

  RankTilings(const PanelStructure& whole, Index ranks, Mapping mapping, Granularity granularity)
      : map(map_to_ranks(whole, panel_seconds(whole, KernelCost{}), ranks, mapping)) {
    for (Index rank = 0; rank < ranks; ++rank) {
      local.push_back(local_structure(whole, map, rank));
      SubtreeCut nothing;
      nothing.group_of.assign(local.back().panels(), -1);
      tiling.push_back(tile_panels(local.back(), nothing, granularity, 12));
    }
  }
  Index ranks() const { return map.ranks; }
};

/// One rank, few of them, a prime number, and more than small structures have panels.
inline constexpr Index rank_counts[] = {1, 2, 3, 4, 7};
inline constexpr Mapping mappings[] = {Mapping::proportional, Mapping::block_cyclic};

/// Calls visit(structure, ranks) for all sample structures, numbers of ranks, mappings and
/// granularities.
template <class Visit>
void for_each_rank_tilings(Visit visit) {
  for (const NamedStructure& sample : sample_structures()) {
    for (const Index ranks : rank_counts) {
      for (const Mapping mapping : mappings) {
        for (const Granularity granularity : granularities) {
          SCOPED_TRACE(sample.name + ", " + std::to_string(ranks) + " ranks, mapping " +
                       std::to_string(static_cast<int>(mapping)) + ", granularity " +
                       std::to_string(static_cast<int>(granularity)));
          visit(sample.symbolic, RankTilings(sample.symbolic, ranks, mapping, granularity));
          if (testing::Test::HasFailure()) return;
        }
      }
    }
  }
}

}  // namespace espalier::support
