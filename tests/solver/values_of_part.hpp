// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

#include "solver/rank_part.hpp"

namespace espalier::support {

/// Those of the rank and of all ranks, in their order.
inline std::vector<double> values_of_part(std::span<const Index> owners, Index rank,
                                          std::span<const double> values) {
  std::vector<double> part;
  for (std::size_t k = 0; k < owners.size(); ++k) {
    if (owners[k] == rank || owners[k] == RankMap::shared) part.push_back(values[k]);
  }
  return part;
}

}  // namespace espalier::support
