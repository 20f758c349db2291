// SPDX-License-Identifier: BSD-3-Clause
#include "symbolic/splitting.hpp"

#include <algorithm>
#include <numeric>

namespace espalier {

Panels split(std::span<const Index> supernode_begin, Index panel_width) {
  const Index unit = std::gcd(panel_width, 8);
  Panels result;
  for (std::size_t s = 0; s + 1 < supernode_begin.size(); ++s) {
    const Count width = supernode_begin[s + 1] - supernode_begin[s];
    const Count panels = (width + panel_width - 1) / panel_width;
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
