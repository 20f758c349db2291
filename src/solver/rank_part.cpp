// SPDX-License-Identifier: BSD-3-Clause
#include "solver/rank_part.hpp"

namespace espalier {

RankPart rank_part(const SymbolicFactor& whole, const PanelEntries& entries, const RankMap& map,
                   Index rank) {
  RankPart part;
  part.structure = local_structure(whole, map, rank);
  for (const Index j : part.structure.column) {
    part.original.push_back(whole.permutation.old_of[j]);
    for (Count k = entries.begin[j]; k < entries.begin[j + 1]; ++k) {
      const auto source = static_cast<Count>(part.entries.entry.size());
      part.entries.entry.emplace_back(entries.entry[k].local_row(), source);
    }
    part.entries.begin.push_back(static_cast<Count>(part.entries.entry.size()));
  }
  return part;
}

std::vector<double> values_of_part(const PanelStructure& whole, const PanelEntries& entries,
                                   const RankMap& map, Index rank, std::span<const double> values) {
  std::vector<double> part;
  for (const Index domain : {rank, RankMap::shared}) {
    for (Index p = 0; p < whole.panels(); ++p) {
      if (map.domain[p] != domain) continue;
      const Count end = entries.begin[whole.panel_begin[p + 1]];
      for (Count k = entries.begin[whole.panel_begin[p]]; k < end; ++k) {
        part.push_back(values[entries.entry[k].source()]);
      }
    }
  }
  return part;
}

}  // namespace espalier
