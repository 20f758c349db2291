// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/splitting.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace espalier {

std::vector<Index> widest_panels(const PanelStructure& structure, double flops, Index panel_width,
                                 Index narrow_width, double most_entries) {
  constexpr double share = 1.0 / 32;
  std::vector<Index> widest;
  widest.reserve(structure.supernode_begin.size());
  for (std::size_t s = 0; s + 1 < structure.supernode_begin.size(); ++s) {
    const auto height = static_cast<double>(structure.row_begin[s + 1] - structure.row_begin[s]);
    const double limit = std::min({std::sqrt(share * flops / height), most_entries / height,
                                   static_cast<double>(panel_width)});
    const Index width = static_cast<Index>(limit) / 8 * 8;
    widest.push_back(std::min(panel_width, std::max(narrow_width, width)));
  }
  return widest;
}

Panels split(std::span<const Index> supernode_begin, std::span<const Index> widest) {
  Panels result;
  for (std::size_t s = 0; s + 1 < supernode_begin.size(); ++s) {
    const Index unit = std::gcd(widest[s], 8);
    const Count width = supernode_begin[s + 1] - supernode_begin[s];
    const Count panels = (width + widest[s] - 1) / widest[s];
    const Count units = (width + unit - 1) / unit;
    for (Count i = 1; i <= panels; ++i) {
      const Count end = std::min(width, (units * i / panels) * unit);
      result.begin.push_back(supernode_begin[s] + static_cast<Index>(end));
      result.supernode.push_back(static_cast<Index>(s));
    }
  }
  return result;
}

}  // namespace espalier
