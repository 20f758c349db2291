// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "mapping/local_structure.hpp"
#include "mapping/rank_work.hpp"

namespace espalier::internal::support {

/// All ways to distribute the work among ranks.
inline constexpr Mapping mappings[] = {Mapping::proportional, Mapping::block_cyclic,
                                       Mapping::fan_both, Mapping::three_d};

/// Functions for maps of whole structures, which assign each panel separately.
inline RankMap map_to_ranks(const PanelStructure& whole, std::span<const double> seconds,
                            Index ranks, Mapping mapping = Mapping::proportional,
                            const BlockGrid* cells = nullptr, Alone alone = Alone::subtrees) {
  return internal::map_to_ranks(whole, panel_loads(whole, seconds), ranks, mapping, cells, {},
                                alone);
}

inline std::vector<Load> domain_loads(const PanelStructure& whole, std::span<const double> seconds,
                                      const RankMap& map) {
  return internal::domain_loads(panel_loads(whole, seconds), map);
}

inline std::vector<Load> rank_loads(const PanelStructure& whole, std::span<const double> seconds,
                                    const RankMap& map) {
  return internal::rank_loads(domain_loads(whole, seconds, map), map,
                              SharedWork(whole, seconds, map));
}

/// Returns the part of a whole structure that a rank has.
inline LocalStructure local_structure(const PanelStructure& whole, const RankMap& map, Index rank) {
  const LocalStructure shared = shared_structure(whole, map);
  std::vector<Index> local_of(whole.n, -1);
  Domain domain;
  PanelStructure& own = domain.structure;
  std::vector<Index> supernodes;
  for (Index p = 0; p < whole.panels(); ++p) {
    if (map.domain[p] != rank) continue;
    const Index s = whole.panel_supernode[p];
    if (supernodes.empty() || supernodes.back() != s) supernodes.push_back(s);
    for (Index j = whole.panel_begin[p]; j < whole.panel_begin[p + 1]; ++j) {
      local_of[j] = static_cast<Index>(domain.column.size());
      domain.column.push_back(j);
    }
    own.panel_begin.push_back(static_cast<Index>(domain.column.size()));
    own.panel_supernode.push_back(static_cast<Index>(supernodes.size()) - 1);
  }
  for (std::size_t k = 0; k < shared.column.size(); ++k) {
    local_of[shared.column[k]] = static_cast<Index>(domain.column.size() + k);
  }
  for (const Index s : supernodes) {
    own.supernode_begin.push_back(local_of[whole.supernode_begin[s + 1] - 1] + 1);
    for (Count k = whole.row_begin[s]; k < whole.row_begin[s + 1]; ++k) {
      own.row.push_back(local_of[whole.row[k]]);
    }
    own.row_begin.push_back(static_cast<Count>(own.row.size()));
  }
  return internal::local_structure(std::move(domain), shared, rank);
}

}  // namespace espalier::internal::support
