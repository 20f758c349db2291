// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "solver/rank_part.hpp"

namespace espalier::support {

/// All pieces together.
inline std::vector<double> values_of_part(const PanelStructure& whole, const PanelEntries& entries,
                                          const RankMap& map, Index rank,
                                          std::span<const double> values) {
  std::vector<double> part;
  for_values_of_part(whole, entries, map, rank, values, [&](std::span<const double> piece) {
    part.insert(part.end(), piece.begin(), piece.end());
  });
  return part;
}

}  // namespace espalier::support
