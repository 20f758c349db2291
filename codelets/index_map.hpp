// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "espalier/types.hpp"

namespace espalier {

/// Whether an ascending list holds consecutive numbers.
inline bool contiguous(std::span<const Index> list) {
  return list.empty() || list.back() - list.front() == static_cast<Index>(list.size()) - 1;
}

/// Positions of the members of `subset` in `list`, both ascending and the one contained in the
/// other. Cost O(length of the part of the list that is walked).
inline void merge_positions(std::span<const Index> subset, std::span<const Index> list,
                            Index* position) {
  Index at = 0;
  for (std::size_t i = 0; i < subset.size(); ++i) {
    while (list[at] != subset[i]) ++at;
    position[i] = at;
  }
}

}  // namespace espalier
